//! `lcca plot`: every picture is drawn from the numbers of the model, even if these are odd.

#![allow(clippy::unwrap_used, reason = "a panic is how a test fails")]

mod common;

use common::data::NASTY;
use common::{Folder, numbers};
use lcca::fit::{Model, View};
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca_io::{ModelNames, Names, write_model_named};
use serde_json::Map;

const ROWS: &str = "x.safetensors y.safetensors";

fn fitted(rows: usize, k: usize) -> Folder {
    let folder = Folder::with_named_views(rows, 1);
    folder.run(&format!("fit {ROWS} -k {k} --ridge 0.01 --threads 2 -o model")).done();
    folder
}

fn draw(folder: &Folder, line: &str) -> String {
    folder.run(&format!("plot {line} -o picture.svg --quiet")).done();
    let svg = String::from_utf8(folder.read("picture.svg")).unwrap();
    check(&svg);
    svg
}

/// Checks the rules that hold for every picture.
fn check(svg: &str) {
    assert!(svg.starts_with("<svg xmlns=\"http://www.w3.org/2000/svg\"") && svg.ends_with("</svg>\n"));
    for never in ["NaN", "inf\"", "<script", "<b>", " href=", "url(", "@import"] {
        assert!(!svg.contains(never), "{never}: {svg}");
    }
    assert!(
        svg.contains("prefers-color-scheme:dark") && svg.contains("role=\"img\"") && svg.contains("<title>")
    );
    let caption = svg.split("<desc>").nth(1).unwrap().split("</desc>").next().unwrap();
    assert!(
        caption.len() > 30 && caption.ends_with('.'),
        "{caption}: what a reader who does not see the picture is told"
    );
    assert!(svg.len() < 400_000, "{}", svg.len());
}

/// Writes a model that no fit made.
fn write_model(folder: &Folder, cols: usize, k: usize, loading: f64, name: impl Fn(usize) -> String) {
    let number = |i: usize, j: usize| loading * ((i * 7 + j * 13) as f64).sin();
    let view = View::new(Panel::from_fn(cols, k, number), Panel::from_fn(cols, k, number), None);
    let mut model = Model::new(view.clone(), view, Settings::new(Method::auto(), k).center(false));
    model.correlations = (0..k).map(|j| 1.0 - 1e-10 * j as f64).collect();
    (model.total, model.rows) = (k as f64, 9);
    let names = Names::new((0..cols).map(name));
    let names = ModelNames { x: Some(names.clone()), y: Some(names), covariates: None };
    write_model_named(&folder.path("model"), &model, &names, &Map::new()).unwrap();
}

#[test]
fn pictures_show_the_numbers_of_the_model() {
    let folder = fitted(300, 4);
    let correlations = numbers(&folder.json("info model"), "correlations");
    let scree = draw(&folder, "scree model");
    for (i, correlation) in correlations.iter().enumerate() {
        assert!(
            scree.contains(&format!("<title>component {}: in training {correlation:.4}</title>", i + 1)),
            "{scree}"
        );
    }
    let (model, _) = lcca_io::read_model(&folder.path("model")).unwrap();
    let size = |i: &usize| model.y.loadings.row(*i)[2].abs();
    let first = (0..30).max_by(|a, b| size(a).total_cmp(&size(b))).unwrap();
    let loading = format!("{:.3}", model.y.loadings.row(first)[2]).replace('-', "\u{2212}");
    let bars = draw(&folder, "loadings model --component 3 --top 5");
    assert!(bars.contains(&format!("<title>y{first}: {loading}</title>")), "{bars}");
    assert_eq!(bars.matches("<rect class=\"f").count(), 10);
    let heatmap = draw(&folder, "heatmap model --top 30");
    assert!(heatmap.contains(&format!("<title>y{first}, 3: {loading}</title>")), "{heatmap}");
    let norm = |i: &usize| model.x.loadings.row(*i)[1].hypot(model.x.loadings.row(*i)[3]);
    let first = (1..40).max_by(|a, b| norm(a).total_cmp(&norm(b))).unwrap();
    let row = model.x.loadings.row(first);
    let circle = draw(&folder, "circle model --axes 2,4");
    let title = format!("<title>x{first}: {:.3}, {:.3}</title>", row[1], row[3]).replace('-', "\u{2212}");
    assert!(circle.contains(&title), "{title}: {circle}");
}

/// Compares with mixOmics' similarity: the inner product of the correlations with u + v.
#[test]
fn a_cim_multiplies_correlations_with_the_sums_of_variables() {
    let folder = fitted(300, 3);
    let (model, _) = lcca_io::read_model(&folder.path("model")).unwrap();
    let svg = draw(&folder, "cim model --top 40");
    for (i, j) in [(1, 0), (7, 29), (39, 12)] {
        let (x, y) = (model.x.loadings.row(i), model.y.loadings.row(j));
        let similarity: f64 = (0..3).map(|c| x[c] * y[c] * (1.0 + model.correlations[c]) / 2.0).sum();
        let title = format!("<title>x{i}, y{j}: {similarity:.3}</title>").replace('-', "\u{2212}");
        assert!(svg.contains(&title), "{title}");
    }
}

#[test]
fn rows_are_drawn_with_their_labels() {
    let folder = fitted(300, 3);
    folder.write(
        "labels.csv",
        format!("\"kind\"\n{}", (0..300).map(|i| format!("\"k{}\"\n", i % 12)).collect::<String>()),
    );
    let said = folder.run(&format!("plot scores model {ROWS} --label labels.csv -o p.svg")).done().stderr;
    assert!(said.contains("labels.csv: first line \"kind\" taken as a header"), "{said}");
    let svg = draw(&folder, &format!("scores model {ROWS} --label labels.csv"));
    for text in [">k0</text>", ">6 other labels</text>", ">variable 1 of X</text>", ">variable 2 of Y</text>"]
    {
        assert!(svg.contains(text), "{text}: {svg}");
    }
    assert!(draw(&folder, &format!("scores model {ROWS} --axes 3")).contains(">variable 3 of Y</text>"));
    let svg = draw(&folder, &format!("biplot model {ROWS} --label labels.csv --axes 1,3 --top 4"));
    assert!(svg.contains("blue for X and orange for Y"), "no legend says which line is which: {svg}");
    assert!(
        svg.contains(">component 3</text>") && svg.matches("<line class=\"curve s1\"").count() == 4,
        "{svg}"
    );
}

#[test]
fn a_scree_holds_all_that_is_known() {
    let folder = fitted(300, 3);
    folder.write("bootstrap.json", folder.json(&format!("bootstrap model {ROWS} -n 20")).to_string());
    folder.write("scores.json", folder.json(&format!("score model {ROWS} --permutations 19")).to_string());
    let svg = draw(&folder, "scree model --bootstrap bootstrap.json --scores scores.json");
    assert!(svg.contains("corrected, with 95% interval") && svg.contains("hollow: p above 0.05"), "{svg}");
    assert_eq!(svg.matches(">0.050</text>").count(), 3, "the p-values of 19 random orders");
    folder.run(&format!("fit {ROWS} -k 3 --hold-out 0.2 -o held")).done();
    assert!(draw(&folder, "scree held").contains(">held out</text>"));
    let other = Folder::with_named_views(200, 2);
    other.write("model", folder.read("model"));
    assert!(draw(&other, &format!("scree model {ROWS}")).contains(">on the given rows</text>"));
    assert!(
        !draw(&folder, &format!("scree model {ROWS}")).contains(">on the given rows</text>"),
        "training rows"
    );
}

#[test]
fn correlations_that_differ_by_rounding_are_drawn_as_equal() {
    let folder = Folder::new();
    write_model(&folder, 20, 5, 1.0, |i| format!("n{i}"));
    let svg = draw(&folder, "scree model");
    let heights: Vec<&str> = svg
        .split("<path class=\"hollow s0\" d=\"M")
        .skip(1)
        .map(|path| path.split(['a', ' ']).nth(1).unwrap())
        .collect();
    assert!(heights.len() >= 5 && heights.iter().all(|height| *height == heights[0]), "{heights:?}");
    assert!(!svg.contains("0.9999"), "no tick between rounding errors: {svg}");
    folder.run("plot scree model -o scree.html").done();
    let page = String::from_utf8(folder.read("scree.html")).unwrap();
    assert!(
        page.contains("All training correlations are the same to six digits.") && !page.contains("<script")
    );
}

#[test]
fn odd_models_have_pictures_too() {
    let folder = Folder::new();
    let long =
        |i: usize| format!("{NASTY}<script>alert({i})</script> Ωμέγα 漢字 עברית 🐭 {}", "long ".repeat(20));
    type Name = Box<dyn Fn(usize) -> String>;
    let models: [(usize, usize, f64, Name); 5] = [
        (1, 1, 1.0, Box::new(|_| "only".into())),
        (50_000, 3, 0.7, Box::new(|i| format!("column {i}"))),
        (30, 2, 1e-14, Box::new(|i| i.to_string())),
        (40, 120, 0.9, Box::new(long)),
        (12, 2, f64::NAN, Box::new(|i| i.to_string())),
    ];
    for (cols, k, loading, name) in models {
        write_model(&folder, cols, k, loading, name);
        for picture in ["scree", "circle", "loadings", "heatmap", "cim"] {
            if picture == "circle" && k == 1 {
                folder.refuses(
                    "plot circle model -o new.svg",
                    &["component 2 is to be drawn, but the model has 1 component"],
                );
                continue;
            }
            for width in [320, 1000] {
                draw(&folder, &format!("{picture} model --width {width}"));
            }
        }
    }
}

#[test]
fn what_a_picture_does_not_use_is_refused_in_one_line() {
    let folder = fitted(60, 2);
    folder.write("labels.txt", "a\n");
    for (line, needle) in [
        (
            "scree model --axes 1,2 -o p.svg",
            "scree does not use --axes; these pictures do: circle, scores, biplot",
        ),
        ("circle model --label labels.txt -o p.svg", "<X>"),
        ("heatmap model x.safetensors y.safetensors -o p.svg", "heatmap does not use rows of X and Y"),
        ("circle model --axes 1,1 -o p.svg", "expected two different components"),
        ("circle model --axes 1,3 -o p.svg", "component 3 is to be drawn, but the model has 2 components"),
        ("circle model --axes 0,1 -o p.svg", "--axes"),
        ("loadings model --component 7 -o p.svg", "component 7 is to be drawn"),
        ("scores model -o p.svg", "scores draws rows, expected lcca plot scores MODEL X Y -o FILE"),
        (
            "scores model x.safetensors y.safetensors --label labels.txt -o p.svg",
            "labels.txt: 1 labels, expected one per row of X, 60",
        ),
        ("scree model -o p.png", "p.png: a picture is an SVG file or an HTML page, expected .svg or .html"),
        ("scree model -o p", "expected .svg or .html"),
        ("scree model -o -", "a picture cannot go to standard output, expected a file"),
        ("tree model -o p.svg", "'tree'"),
        ("cim model --top 41 -o p.svg", "--top 41: this width has room for 40 columns"),
        ("scree model --width 400 -o p.html", "--width is for .svg files"),
        ("scree model --align none -o p.svg", "--align says how rows are read, expected files of X and Y"),
        ("scree model --zero-based -o p.svg", "--zero-based says how rows are read"),
        // No rows are read for components that the model does not have.
        ("biplot model no-x.npz no-y.npz --axes 1,3 -o p.svg", "component 3 is to be drawn"),
        ("scree no-model -o p.svg", "no-model"),
        ("scree model -o no-folder/p.svg", "no-folder"),
    ] {
        folder.refuses(&format!("plot {line}"), &[needle]);
    }
}

#[test]
fn the_same_model_gives_the_same_picture() {
    let folder = fitted(3000, 3);
    let line = format!("biplot model {ROWS}");
    assert_eq!(draw(&folder, &line), draw(&folder, &line));
    let printed = folder.json("plot scree model -o scree.svg");
    assert_eq!(printed["bytes"].as_u64().unwrap() as usize, folder.read("scree.svg").len());
}
