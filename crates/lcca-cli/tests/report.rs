//! Checks that the numbers on a page of `lcca report` are those of the model, of `lcca score` and of `lcca
//! transform`.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::NASTY;
use common::page::{Page, between, bytes, unpacked};
use common::{Folder, number, numbers};
use lcca::fit::{Model, View};
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca_io::{FitRecord, ModelFile, ModelNames, Names, read_model, read_model_names, write_model_named};
use serde_json::{Map, Value};

const FIT: &str = "fit x.safetensors y.safetensors -k 4 --ridge 0.01 --threads 2";

fn fitted(rows: usize) -> Folder {
    let folder = Folder::with_named_views(rows, 1);
    folder.run(&format!("{FIT} -o model")).done();
    folder
}

/// Checks the rules that hold for every page: it is whole, small, and unable to fetch anything.
fn check(page: &Page) {
    assert!(page.html.len() < 2_000_000, "{}", page.html.len());
    assert!(page.html.starts_with("<!DOCTYPE html>") && page.html.ends_with("</html>\n"));
    assert!(page.html.contains("default-src 'none'"));
    let scripts = ["<script", "</script>"].map(|tag| page.html.matches(tag).count());
    assert_eq!(scripts, [2, 2]);
    for outside in [" src=", "url(", "@import", "<link rel=\"stylesheet"] {
        assert!(!page.markup().contains(outside), "{outside}");
    }
    assert!(!page.html.contains("NaN"));
}

#[test]
fn the_page_describes_the_fit_in_words_and_numbers() {
    let folder = Folder::with_named_views(300, 1);
    let fit = folder.json(&format!("{FIT} -o model"));
    let page = Page::report(&folder, "model");
    check(&page);
    let head = page.text("<header>", "</header>");
    for said in ["model", "Converged: about", "components4", "rows300", "columns of X40", "columns of Y30"] {
        assert!(head.contains(said), "{said}: {head}");
    }
    // How the fit went has a separate part below the result, because only few readers ask for it.
    let why = fit["why"].as_str().unwrap();
    assert!(!head.contains(why) && page.text("<section id=\"fit\"", "</section>").contains(why), "{head}");
    let sum: f64 = numbers(&fit, "correlations").iter().sum();
    assert!(head.contains(&format!("sum of correlations, of 4 at most{sum:.4}")), "{head}");
    let table = page.text("<table class=\"blocks\" role=\"table\">", "</table>");
    for value in numbers(&fit, "correlations").iter().chain(&numbers(&fit, "objective")) {
        assert!(table.contains(&format!("{value:.4}")), "{value}: {table}");
    }
    assert!(page.text("<main>", "</main>").contains("lcca report MODEL X Y") && page.data["given"].is_null());
}

#[test]
fn the_leading_columns_are_those_with_the_largest_loadings() {
    let folder = fitted(300);
    let page = Page::report(&folder, "model");
    let (model, _) = read_model(&folder.path("model")).unwrap();
    let names = read_model_names(&folder.path("model")).unwrap();
    for (side, view, names) in [("x", &model.x, names.x.unwrap()), ("y", &model.y, names.y.unwrap())] {
        for j in 0..4 {
            for (order, panel) in [("loading", &view.loadings), ("weight", &view.weights)] {
                let mut columns: Vec<usize> = (0..panel.rows()).collect();
                columns.sort_by(|&a, &b| panel.row(b)[j].abs().total_cmp(&panel.row(a)[j].abs()));
                let listed = page.data["components"][j][side][order].as_array().unwrap();
                assert_eq!(listed.len(), 15);
                for (row, &column) in listed.iter().zip(&columns) {
                    let near = |index: usize, value: f64| {
                        (row[index].as_f64().unwrap() - value).abs() <= 1e-6 * value.abs()
                    };
                    assert_eq!(row[0], names.get(column), "{side} {j} {order}");
                    assert!(
                        near(1, view.loadings.row(column)[j]) && near(2, view.weights.row(column)[j]),
                        "{row}"
                    );
                }
            }
        }
    }
}

#[test]
fn numbers_on_given_rows_are_those_of_score_and_transform() {
    let folder = Folder::with_named_views(300, 2);
    folder.write("model", fitted(200).read("model"));
    let score = folder.json("score model x.safetensors y.safetensors");
    let page = Page::report(&folder, "model x.safetensors y.safetensors");
    check(&page);
    assert_eq!(numbers(&page.data["given"], "correlations"), numbers(&score, "correlations"));
    let head = page.text("<header>", "</header>");
    assert!(head.contains("On the 300 given rows"), "{head}");
    assert!(head.contains(&format!("the same on the given rows{:.4}", number(&score, "total"))), "{head}");
    assert!(head.contains(&format!("sum to {:.4}", number(&score, "total"))), "{head}");
    let rows = page.data["given"]["rows"].as_array().unwrap();
    assert_eq!(rows.len(), 300, "few rows are all drawn");
    for side in ["x", "y"] {
        folder.run(&format!("transform model --{side} {side}.safetensors -o z.npy")).done();
        let columns = common::data::columns(&folder.path("z.npy"));
        for (j, column) in columns.iter().enumerate() {
            let expected: Vec<f32> = column.iter().map(|&value| value as f32).collect();
            assert_eq!(unpacked(&page.data["given"][side][j]), expected, "{side} {j}");
        }
    }
}

#[test]
fn many_rows_are_sampled_the_same_way_every_time() {
    let folder = fitted(5000);
    let line = "model x.safetensors y.safetensors";
    let (page, again) = (Page::report(&folder, line), Page::report(&folder, line));
    assert_eq!(page.html, again.html);
    let rows: Vec<usize> = page.data["given"]["rows"]
        .as_array()
        .unwrap()
        .iter()
        .map(|row| row.as_u64().unwrap() as usize)
        .collect();
    assert_eq!(rows.len(), 2000);
    assert!(page.has("2,000 of 5,000 given rows"));
    folder.run("transform model --y y.safetensors -o z.npy").done();
    let column = &common::data::columns(&folder.path("z.npy"))[3];
    let expected: Vec<f32> = rows.iter().map(|&row| column[row] as f32).collect();
    assert_eq!(unpacked(&page.data["given"]["y"][3]), expected);
}

#[test]
fn names_stay_text_whatever_they_contain() {
    let folder = fitted(300);
    let page = Page::report(&folder, "model");
    check(&page);
    assert!(!page.html.contains("<b>") && page.has("&lt;/script&gt;&lt;b&gt;&quot;&amp;&#39;&lt;!--"));
    assert!(!between(&page.html, "id=\"data\">", "</script>").contains(['<', '>', '&', '\u{2028}']));
    let stored = page.data["search"]["x"]["names"].as_array().unwrap();
    assert!(stored.iter().any(|name| name == NASTY), "{stored:?}");
    assert_eq!((stored.len(), page.data["search"]["y"]["names"].as_array().unwrap().len()), (40, 30));
}

#[test]
fn the_command_on_the_page_repeats_the_fit_to_the_bit() {
    let folder = Folder::with_named_views(300, 1);
    std::fs::create_dir_all(folder.path("beside")).unwrap();
    folder.write_matrix("beside/row weights.npy", &common::data::dense(1, &vec![vec![(0, 1.5)]; 300]));
    let covariates = (0..300).map(|row| format!("{}\n", row * row % 17)).collect::<String>();
    folder.write("beside/covariates.csv", format!("age\n{covariates}"));
    for flags in [
        "--ridge 0.01 --threads 1",
        "--method l-cca --t1 3 --t2 4 --k-pc 7 --seed 5 --no-center --power 1",
        "--method als --inner cg --t1 4 --ridge 0.1 --ridge-y 0.2 --tol 0.001 --max-passes 90",
        "--no-structure --oversample 3 --memory 1GiB --certify",
        "--metric pls --scale no",
        "--metric diagonal --metric-y cca --ridge-y 0.1",
        "--normalize-rows length --normalize-rows-y no --scale yes --covariates beside/covariates.csv",
    ] {
        let mut fit = folder.command(&format!("fit x.safetensors y.safetensors -k 3 {flags} -o model"));
        common::Ran::output(fit.arg("--row-weights").arg("beside/row weights.npy")).done();
        let command = Page::report(&folder, "model").text("<pre><code>", "</code></pre>");
        let shell =
            format!("\"$0\" {} 2>&1", command.strip_prefix("lcca ").unwrap().replace("-o model", "-o again"));
        let mut run = std::process::Command::new("sh");
        let ran = run
            .arg("-c")
            .arg(&shell)
            .arg(env!("CARGO_BIN_EXE_lcca"))
            .current_dir(folder.path("."))
            .output()
            .unwrap();
        assert!(ran.status.success(), "{shell}: {}", String::from_utf8_lossy(&ran.stdout));
        assert!(folder.read("model") == folder.read("again"), "{shell}");
    }
}

#[test]
fn the_command_on_the_page_has_the_folders_that_were_typed() {
    let folder = fitted(100);
    std::fs::create_dir_all(folder.path("in put")).unwrap();
    for name in ["x.safetensors", "y.safetensors"] {
        std::fs::rename(folder.path(name), folder.path("in put").join(name)).unwrap();
    }
    let mut fit = folder.command("fit -k 2 --threads 1 -o in/model");
    std::fs::create_dir_all(folder.path("in")).unwrap();
    common::Ran::output(fit.args(["in put/x.safetensors", "./in put/y.safetensors"])).done();
    let command = Page::report(&folder, "in/model").text("<pre><code>", "</code></pre>");
    let expected = "lcca fit 'in put/x.safetensors' './in put/y.safetensors' -k 2 --threads 1 -o in/model";
    assert_eq!(command, expected);
}

#[test]
fn the_page_says_whether_the_given_rows_were_in_training() {
    let folder = fitted(300);
    let page = Page::report(&folder, "model x.safetensors y.safetensors");
    let head = page.text("<header>", "</header>");
    assert!(head.contains("They look like the rows that the model was trained on"), "{head}");
    assert!(head.contains("The given rows are the rows of training, so they prove nothing new."), "{head}");
    assert!(page.has("have the same correlations.</figcaption>"));
    // Equal numbers are not shown twice.
    assert!(!head.contains("the same on the given rows") && !page.has(">given rows</th>"), "{head}");
    let other = Folder::with_named_views(200, 2);
    other.write("model", folder.read("model"));
    let score = other.json("score model x.safetensors y.safetensors");
    let page = Page::report(&other, "model x.safetensors y.safetensors");
    let head = page.text("<header>", "</header>");
    assert!(head.contains("They are not exactly the rows of training"), "{head}");
    let first = format!(
        "The first component correlates by {:.3} on the 200 given rows",
        numbers(&score, "correlations")[0]
    );
    assert!(head.contains(&first), "{first}: {head}");
    assert!(
        page.titles("correlations").iter().any(|title| title.starts_with("component 1: on the given rows "))
    );
}

#[test]
fn the_page_says_in_short_what_was_found_how_sure_it_is_and_what_to_do_next() {
    let folder = fitted(300);
    folder.run(&format!("{FIT} --hold-out no -o model")).done();
    let first = || numbers(&folder.json("info model"), "correlations")[0];
    let short = |line: &str| Page::report(&folder, line).text("<dl class=\"answers\">", "</dl>");
    let text = short("model");
    let found = format!(
        "In 300 rows of X and Y: 4 pairs of directions that correlate in training, from {:.3}",
        first()
    );
    for said in [
        found.as_str(),
        "What was found",
        "How sure",
        "What to do next",
        "lcca bootstrap MODEL X Y",
        "--hold-out 0.2",
    ] {
        assert!(text.contains(said), "{said}: {text}");
    }
    folder.write(
        "bootstrap.json",
        folder.json("bootstrap model x.safetensors y.safetensors -n 20").to_string(),
    );
    let other = Folder::with_named_views(100, 2);
    for view in ["x", "y"] {
        folder.write(&format!("{view}2.safetensors"), other.read(&format!("{view}.safetensors")));
    }
    let line = "score model x2.safetensors y2.safetensors --permutations 99";
    folder.write("scores.json", folder.json(line).to_string());
    let text = short("model --bootstrap bootstrap.json --scores scores.json");
    assert!(text.contains("with a 95% interval from") && !text.contains("lcca bootstrap"), "{text}");
    assert!(text.contains("of 4 components correlate more than chance would explain"), "{text}");
    assert!(text.contains("on the rows given to lcca score (in training by"), "{text}");
    folder
        .run("fit x.safetensors y.safetensors -k 4 --method lobpcg --max-passes 1 --no-structure -o open")
        .done();
    assert!(short("open").contains("The fit did not converge"));
    folder.run(&format!("{FIT} --hold-out 0.2 -o held")).done();
    let text = short("held");
    assert!(text.contains("on 60 rows held out of a fit") && !text.contains("--hold-out"), "{text}");
}

#[test]
fn rows_are_colored_by_their_labels() {
    let folder = fitted(300);
    let labels: Vec<String> = (0..300).map(|i| format!("<{}>", i % 3)).collect();
    folder.write("labels.txt", labels.join("\n"));
    let line = "model x.safetensors y.safetensors";
    let page = Page::report(&folder, &format!("{line} --label labels.txt"));
    check(&page);
    assert!(page.has(">&lt;0&gt;</text>") && page.has("colored by labels.txt") && !page.has("<0>"));
    assert!(page.pictures().contains(&"scores") && page.pictures().contains(&"biplot"));
    // Labels are found next to views that `lcca views` wrote; in any other folder, a file of that name
    // means nothing.
    assert!(!Page::report(&folder, line).has("colored by labels.txt"));
    folder.write("views.json", "{}");
    assert!(Page::report(&folder, line).has("colored by labels.txt"));
    folder.write("labels.txt", "one\ntwo\n");
    folder.refuses(
        "report model x.safetensors y.safetensors -o new.html",
        &["labels.txt: 2 labels, expected one per row of X, 300"],
    );
}

/// The number of a label's look: the mark before its name in a legend.
fn look_in_legend(page: &Page, picture: &str, label: &str) -> String {
    let drawing = between(page.markup(), &format!("id=\"{picture}\""), "</svg>");
    let before = drawing.split_once(&format!(">{label}</text>")).unwrap().0;
    before.rsplit("<path class=\"f").next().unwrap().split('"').next().unwrap().into()
}

#[test]
fn a_label_has_one_color_and_shape_on_the_whole_page() {
    let folder = fitted(300);
    let labels: Vec<String> = (0..300).map(|i| format!("group {}", i % 3)).collect();
    folder.write("labels.txt", labels.join("\n"));
    let page = Page::report(&folder, "model x.safetensors y.safetensors --label labels.txt");
    let looks: Vec<u8> = bytes(&page.data["given"]["looks"]);
    for (group, own) in looks.iter().take(3).enumerate() {
        let label = format!("group {group}");
        let look = look_in_legend(&page, "scores", &label);
        assert_eq!(look_in_legend(&page, "biplot", &label), look, "{label}");
        assert_eq!(own.to_string(), look, "{label}");
        // Blue and orange are the colors of X and Y.
        assert!(!["0", "1"].contains(&look.as_str()));
    }
    let shapes = page.data["given"]["shapes"].as_array().unwrap();
    assert!(shapes.len() > 3 && shapes[2] != shapes[3]);
}

#[test]
fn rows_are_called_by_their_names() {
    let folder = Folder::new();
    folder.run("sample countries").done();
    let rows = "sample/countries.csv sample/countries.csv";
    folder
        .run(&format!("fit {rows} --x-columns under15,over75 --y-columns savings,income,growth -o model"))
        .done();
    let page = Page::report(&folder, &format!("model {rows}"));
    for picture in ["scores", "biplot"] {
        let drawing = between(page.markup(), &format!("id=\"{picture}\""), "</svg>");
        assert!(drawing.contains("<title>Bolivia</title>"), "{picture}");
        assert!(drawing.contains(">Japan</text>"), "{picture}: few rows have names in the picture");
    }
    assert_eq!(page.data["given"]["titles"].as_array().unwrap().len(), 50);
    assert_eq!(page.data["given"]["names"][0], "Australia", "the scatter plot has them too");
    // Rows without names are numbered as in their file.
    let folder = fitted(100);
    let page = Page::report(&folder, "model x.safetensors y.safetensors");
    assert!(page.titles("scores").contains(&"row 100") && page.data["given"]["titles"][0] == "row 1");
    assert!(page.data["given"]["names"].is_null());
}

#[test]
fn the_headline_is_the_first_correlation_in_training_and_on_other_rows() {
    let folder = Folder::with_named_views(300, 1);
    let fit = folder.json(&format!("{FIT} --hold-out 0.2 -o held"));
    let page = Page::report(&folder, "held");
    let headline = page.text("<dl class=\"figures headline\">", "</dl>");
    let shown = |value: f64| format!("{value:.3}");
    let first = numbers(&fit, "correlations")[0];
    assert!(headline.contains(&format!("first correlation, in training{}", shown(first))), "{headline}");
    let held_out = FitRecord::from_provenance(&ModelFile::open(&folder.path("held")).unwrap().provenance)
        .unwrap()
        .held_out
        .unwrap()
        .held_out[0];
    let expected = format!("the same on 60 rows held out of a fit{}", shown(held_out));
    assert!(headline.contains(&expected), "{headline}");
    let table = page.text("<table class=\"blocks\" role=\"table\">", "</table>");
    assert!(table.contains("held out") && table.contains(&format!("{held_out:.4}")), "{table}");
    let head = page.markup().split("</header>").next().unwrap();
    let at = |text: &str| head.find(text).unwrap();
    assert!(at("figures headline") < at("Converged: about"), "convergence is a line below");
    folder.run(&format!("{FIT} --hold-out no -o alone")).done();
    let headline = Page::report(&folder, "alone").text("<dl class=\"figures headline\">", "</dl>");
    assert!(headline.contains("not measured–"), "{headline}");
}

/// The page shows tested rows once if they are the given rows, because `lcca score` often tests just these.
#[test]
fn tested_rows_that_are_the_given_ones_are_shown_once() {
    let folder = Folder::with_named_views(100, 2);
    folder.write("model", fitted(300).read("model"));
    let line = "score model x.safetensors y.safetensors --permutations 19";
    folder.write("scores.json", folder.json(line).to_string());
    let page = Page::report(&folder, "model x.safetensors y.safetensors --scores scores.json");
    assert!(page.has(">given rows</th>") && !page.has(">tested rows</th>"));
    assert!(page.has("The given rows were tested; p adjusted is from 19 random orders"));
    assert!(page.has("given rows (hollow: p above 0.05)") && !page.has("tested rows (hollow"));
    let page = Page::report(&folder, "model --scores scores.json");
    assert!(!page.has(">given rows</th>") && page.has(">tested rows</th>"));
}

/// Names tell a reader more than numbers of columns, and a flag that is cut in two cannot be typed.
#[test]
fn notes_are_sentences_with_names_and_commands_stay_in_one_piece() {
    let folder = Folder::new();
    let row =
        |i: usize, a: usize| format!("{},{},{}\n", i * 7 % 13, (i * i + a) % 17, (i * 3 + a * i * i) % 19);
    let table =
        |names: &str, a: usize| format!("{names}\n{}", (0..60).map(|i| row(i, a)).collect::<String>());
    folder.write("x.csv", table("umbrella,b,c", 1));
    folder.write("y.csv", table("parapluie,d,e", 5));
    folder.run("fit x.csv y.csv --hold-out no -o model").done();
    let page = Page::report(&folder, "model");
    let head = page.text("<header>", "</header>");
    let said = "1 column of X is also in Y: \"umbrella\" of X and \"parapluie\" of Y are equal in every row";
    assert!(head.contains(said) && head.contains("leave it out of one view."), "{head}");
    assert!(page.has("<code><span>lcca</span> <span>report</span> <span>MODEL</span>"));
    assert!(page.has("<span>--hold-out</span>") && !head.contains('`'), "{head}");
}

#[test]
fn the_summary_tells_signs_and_the_contents_lead_to_every_part() {
    let folder = fitted(300);
    let page = Page::report(&folder, "model x.safetensors y.safetensors");
    let (model, _) = read_model(&folder.path("model")).unwrap();
    let found = page.text("What was found", "How sure");
    let strongest = |loadings: &Panel| {
        let all = (0..loadings.rows()).map(|i| loadings.row(i)[0]);
        all.fold(0.0f64, |most, value| if value.abs() > most.abs() { value } else { most })
    };
    for loadings in [&model.x.loadings, &model.y.loadings] {
        let signed = format!("({:+.2})", strongest(loadings)).replace('-', "\u{2212}");
        assert!(found.contains(&signed), "{signed}: {found}");
    }
    let contents = between(page.markup(), "<nav class=\"contents\"", "</nav>");
    let ids: Vec<&str> =
        contents.split("href=\"#").skip(1).map(|link| link.split('"').next().unwrap()).collect();
    let sections: Vec<&str> =
        page.markup().split("<section id=\"").skip(1).map(|part| part.split('"').next().unwrap()).collect();
    assert!(ids == sections && ids.len() == 7, "{ids:?} {sections:?}");
}

/// The heatmap shows columns of every component, because a reader asks about all of them. Frequent words
/// alone would not do, although they load more on the first components than others do on any.
#[test]
fn the_heatmap_shows_columns_of_every_component() {
    let folder = Folder::new();
    write_model(&folder, 40, 6, |i| format!("n{i}"));
    let mut model = ModelFile::open(&folder.path("model")).unwrap().model;
    // The first 30 columns are strong in the first component only; each of the others leads another
    // component.
    model.x.loadings = Panel::from_fn(40, 6, |i, j| match (i, j) {
        (0..30, 0) => 0.9,
        (30.., _) if i % 6 == j => 0.3,
        _ => 0.01,
    });
    let names = Names::new((0..40).map(|i| format!("n{i}")));
    let names = ModelNames { x: Some(names.clone()), y: Some(names), covariates: None };
    write_model_named(&folder.path("model"), &model, &names, &Map::new()).unwrap();
    folder.run("plot heatmap model --top 12 -o heatmap.svg").done();
    let svg = String::from_utf8(folder.read("heatmap.svg")).unwrap();
    let of_x = svg.split(">Columns of Y</text>").next().unwrap();
    for component in 2..=6 {
        let leads = (30..40).any(|i| of_x.contains(&format!("<title>n{i}, {component}: 0.300</title>")));
        assert!(leads, "component {component}");
    }
}

#[test]
fn the_trace_in_the_page_is_that_of_the_fit() {
    let folder = Folder::with_named_views(300, 1);
    let fit = folder.json(&format!("{FIT} --method lobpcg --tol 1e-8 -o model"));
    let page = Page::report(&folder, "model");
    assert_eq!(page.pictures(), ["correlations", "circle", "heatmap", "cim", "captured", "rest"]);
    let trace = fit["trace"].as_array().unwrap();
    let expected: Vec<String> = trace
        .iter()
        .map(|row| {
            let passes = number(row, "passes") + number(row, "gram_passes");
            format!(
                "passes over rows and Gram matrices {passes:.4}: captured total {:.4}",
                number(row, "total")
            )
        })
        .collect();
    assert!(trace.len() > 3);
    assert_eq!(page.titles("captured"), expected);
    let share =
        format!("share missing {:.1e}", number(trace.last().unwrap(), "missing")).replace('-', "\u{2212}");
    assert!(page.titles("rest").last().unwrap().ends_with(&share), "{share}: {:?}", page.titles("rest"));
}

#[test]
fn a_missing_trace_is_explained() {
    let folder = Folder::with_named_views(300, 1);
    for (method, picture, said) in [
        ("exact", None, "The fit took one step"),
        ("d-cca", Some("captured"), "No iteration came with an estimate of what is missing."),
    ] {
        folder.run(&format!("fit x.safetensors y.safetensors -k 2 --method {method} -o model")).done();
        let page = Page::report(&folder, "model");
        check(&page);
        let expected: Vec<&str> =
            ["correlations", "circle", "heatmap", "cim"].into_iter().chain(picture).collect();
        assert_eq!(page.pictures(), expected);
        assert!(page.has(said), "{said}");
    }
}

/// Python knows neither files nor flags, but saves the same record of the fit.
#[test]
fn a_model_saved_from_python_shows_its_outcome() {
    let folder = Folder::with_named_views(300, 1);
    let fit = folder.json(&format!("{FIT} --method lobpcg -o model"));
    let ModelFile { model, provenance, .. } = ModelFile::open(&folder.path("model")).unwrap();
    let mut origin = Map::new();
    FitRecord::from_provenance(&provenance).unwrap().insert_into(&mut origin);
    write_model_named(&folder.path("saved"), &model, &ModelNames::default(), &origin).unwrap();
    let page = Page::report(&folder, "saved");
    check(&page);
    let head = page.text("<header>", "</header>");
    assert!(head.contains("Converged: about") && page.has(fit["why"].as_str().unwrap()), "{head}");
    assert_eq!(page.pictures(), ["correlations", "circle", "heatmap", "cim", "captured", "rest"]);
}

#[test]
fn a_fit_that_did_not_converge_is_called_so() {
    let folder = Folder::with_named_views(300, 1);
    folder
        .run("fit x.safetensors y.safetensors -k 4 --method lobpcg --max-passes 1 --no-structure -o model")
        .done();
    let page = Page::report(&folder, "model");
    assert!(page.has("Not converged: ") && !page.has("Converged: "));
}

#[test]
fn a_certificate_is_shown_with_what_it_does_not_prove() {
    let folder = Folder::with_named_views(300, 1);
    folder.run(&format!("{FIT} -o model --certify")).done();
    let page = Page::report(&folder, "model");
    assert!(page.has("Certified, rigorously: ") && page.has("; compared with the exact answer, "));
}

#[test]
fn columns_without_names_are_numbered() {
    let folder = Folder::with_views(300, 1);
    folder.run("fit x.npz y.npz -k 1 -o model").done();
    let page = Page::report(&folder, "model x.npz y.npz");
    check(&page);
    assert!(page.has("The columns of X have no names; they are counted from 0."));
    let (model, _) = read_model(&folder.path("model")).unwrap();
    let size = |i: &usize| model.x.loadings.row(*i)[0].abs();
    let first = (0..40).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
    assert_eq!(page.data["components"][0]["x"]["loading"][0][0], format!("column {first}"));
    assert_eq!(page.data["components"].as_array().unwrap().len(), 1);
}

/// Writes a model of this size that no fit made.
fn write_model(folder: &Folder, cols: usize, k: usize, name: impl Fn(usize) -> String) {
    let number = |i: usize, j: usize| ((i * 7 + j * 13) as f64).sin();
    let weights = Panel::from_fn(cols, k, |i, j| 1e-3 * number(j, i));
    let view = View::new(weights, Panel::from_fn(cols, k, number), None);
    let falling: Vec<f64> = (0..k).map(|j| 1.0 / (1.0 + j as f64)).collect();
    let mut model = Model::new(view.clone(), view, Settings::new(Method::auto(), k).center(false));
    model.correlations = falling.clone();
    model.objective = falling.clone();
    model.residuals = falling;
    (model.total, model.rows) = (1.0, 9);
    let names = Names::new((0..cols).map(name));
    let names = ModelNames { x: Some(names.clone()), y: Some(names), covariates: None };
    write_model_named(&folder.path("model"), &model, &names, &Map::new()).unwrap();
}

#[test]
fn a_model_without_a_record_of_its_fit_is_reported_too() {
    let folder = Folder::new();
    write_model(&folder, 5, 2, |i| format!("n{i}"));
    let page = Page::report(&folder, "model");
    check(&page);
    assert!(page.has("How the fit ended is not known") && page.has("The model holds no trace of its fit"));
    assert_eq!(page.pictures(), ["correlations", "circle", "heatmap", "cim"]);
}

#[test]
fn the_page_stays_small_and_says_what_it_leaves_out() {
    let folder = Folder::new();
    for (cols, k, name) in [(30_000, 20, "a plain name of a column, number "), (2_000, 300, "<&>\"'\u{2028}")]
    {
        write_model(&folder, cols, k, |i| {
            format!("{}{i}", if k == 300 { name.repeat(20) } else { name.to_string() })
        });
        let page = Page::report(&folder, "model");
        check(&page);
        assert!(page.html.len() > 1_900_000 || k == 300, "{} bytes: room is left", page.html.len());
        let stored = page.data["search"]["x"]["names"].as_array().unwrap().len();
        assert!((100..cols).contains(&stored), "{stored}");
        assert!(page.has("So that the page stays small, "));
        let shown = page.data["components"].as_array().unwrap().len();
        assert!(if k == 20 {
            shown == 20
        } else {
            shown < k && page.has(&format!("The first {shown} of {k} components"))
        });
    }
}

#[test]
fn the_search_knows_each_columns_strongest_components() {
    let folder = fitted(300);
    let search = &Page::report(&folder, "model").data["search"];
    let (model, _) = read_model(&folder.path("model")).unwrap();
    let loadings = unpacked(&search["y"]["loadings"]);
    assert_eq!((loadings.len(), search["strongest"].as_u64()), (90, Some(3)));
    for (i, name) in search["y"]["names"].as_array().unwrap().iter().enumerate() {
        let column: usize = name.as_str().unwrap()[1..].parse().unwrap();
        let mut row = model.y.loadings.row(column).to_vec();
        row.sort_by(|a, b| b.abs().total_cmp(&a.abs()));
        let expected: Vec<f32> = row[..3].iter().map(|&value| value as f32).collect();
        assert_eq!(loadings[3 * i..3 * i + 3], expected, "{name}");
    }
}

/// With a ridge the first pair need not have the largest correlation.
#[test]
fn the_summary_says_which_correlations_are_the_largest_and_the_smallest() {
    let folder = Folder::new();
    write_model(&folder, 5, 3, |i| format!("n{i}"));
    let mut model = ModelFile::open(&folder.path("model")).unwrap().model;
    model.correlations = vec![0.6, 0.9, 0.3];
    let names = Names::new(["עברית", "a\u{202e}b", "c", "d", "e"]);
    let names = ModelNames { x: Some(names.clone()), y: Some(names), covariates: None };
    write_model_named(&folder.path("model"), &model, &names, &Map::new()).unwrap();
    let page = Page::report(&folder, "model");
    assert!(page.has("3 pairs of directions that correlate in training, from 0.900 down to 0.300."));
    assert!(!page.html.contains('\u{202e}'), "no name turns the text around it");
    let led = page.text("What was found", "How sure");
    assert_eq!(led.matches('\u{2068}').count(), led.matches('“').count(), "{led}");
}

#[test]
fn rows_of_training_and_single_rows_prove_nothing() {
    let folder = Folder::with_named_views(300, 1);
    folder.run(&format!("{FIT} --hold-out no -o model")).done();
    let line = "score model x.safetensors y.safetensors --permutations 9";
    folder.write("scores.json", folder.json(line).to_string());
    let page = Page::report(&folder, "model --scores scores.json");
    let head = page.text("<header>", "</header>");
    assert!(head.contains("The p-values are from the rows of training, so they mean nothing."), "{head}");
    assert!(
        !head.contains("on the rows given to lcca score") && !head.contains("more than chance"),
        "{head}"
    );
    assert!(page.has("which look like the rows of training"));
    let one = Folder::with_named_views(1, 1);
    one.write("model", folder.read("model"));
    let head = Page::report(&one, "model x.safetensors y.safetensors").text("<header>", "</header>");
    assert!(!head.contains("keep at least half"), "{head}");
    assert!(head.contains("On the 1 given row of "), "{head}");
}

#[test]
fn bad_input_is_refused_in_one_line_and_leaves_the_page_alone() {
    let folder = fitted(100);
    folder.write("report.html", "as it was");
    for (line, needle) in [
        ("report no-model -o report.html", "no-model"),
        ("report x.safetensors -o report.html", "is a matrix, expected a model"),
        ("report model y.safetensors x.safetensors -o report.html", "has 30 columns, expected 40"),
        ("report model x.safetensors -o report.html", "<Y>"),
        ("report model x.safetensors no-rows.npz -o report.html", "no-rows.npz"),
        ("report model -o model", "model: a report is an HTML page, expected .html or .htm"),
        ("report model --x-columns a -o report.html", "--x-columns says how rows are read"),
        ("report model x.safetensors y.safetensors -o x.safetensors", "expected .html or .htm"),
        ("report model -o no-folder/report.html", "no-folder"),
        ("report model", "--output"),
    ] {
        folder.refuses(line, &[needle]);
    }
}

#[test]
fn json_says_where_the_page_is() {
    let folder = fitted(100);
    let printed = folder.json("report model -o report.html");
    assert_eq!(
        (printed["output"].as_str(), number(&printed, "bytes")),
        (Some("report.html"), folder.read("report.html").len() as f64)
    );
    let quiet = folder.run("report model -o report.html --quiet").done();
    assert_eq!((quiet.stdout, quiet.stderr), (String::new(), String::new()));
}

#[test]
fn the_same_fit_gives_the_same_model_and_keeps_its_outcome() {
    let folder = fitted(300);
    folder.run(&format!("{FIT} -o again")).done();
    assert!(folder.read("model") == folder.read("again"));
    let outcome: &Value = &folder.json("info model")["provenance"]["outcome"];
    assert!(
        outcome["converged"] == true && outcome["trace"].as_array().is_some_and(|trace| !trace.is_empty())
    );
    let text = folder.run("info model").done().stdout;
    assert!(text.contains("converged: true\n") && !text.contains("trace"), "{text}");
}
