//! Models come back to the bit.

use crate::support::*;
use lcca::fit::{Model, Regressions, View};
use lcca::matrix::Panel;
use lcca::method::{Method, Settings};
use lcca_io::*;
use proptest::prelude::*;
use serde_json::{Map, Value, json};

fn view(cols: usize, k: usize, seed: f64, centered: bool) -> View {
    let number = |i: usize, j: usize| (seed + i as f64 * 0.1 + j as f64 / 3.0).sin();
    View::new(
        Panel::from_fn(cols, k, number),
        Panel::from_fn(cols, k, |i, j| -number(i, j)),
        centered.then(|| (0..cols).map(|i| number(i, k)).collect()),
    )
}

fn model(k: usize, seed: f64, centered: bool) -> Model {
    let numbers = |from: f64| (0..k).map(|i| (from + i as f64).cos()).collect::<Vec<_>>();
    let settings = Settings::new(Method::als(3), k).ridges(seed.abs() / 3.0, 1e-300);
    let mut model = Model::new(view(5, k, seed, centered), view(3, k, seed + 1.0, centered), settings);
    model.correlations = numbers(seed);
    model.objective = numbers(seed * 0.3);
    model.residuals = numbers(seed * 1e-9);
    model.total = seed / 7.0;
    model.rows = u64::MAX;
    model
}

fn provenance() -> Map<String, Value> {
    json!({"x": "data/x.npz", "seconds": 0.1, "files": [1, 2]}).as_object().cloned().unwrap()
}

proptest! {
    #[test]
    fn every_bit_comes_back(k in 1usize..12, seed in -1e3..1e3f64, centered: bool) {
        let (file, model) = (scratch("m.lcca"), model(k, seed, centered));
        write_model(&file.path, &model, &provenance()).unwrap();
        let (back, origin) = read_model(&file.path).unwrap();
        prop_assert_eq!(&back, &model);
        prop_assert_eq!(back.settings.ridge_x.to_bits(), model.settings.ridge_x.to_bits());
        prop_assert_eq!(back.total.to_bits(), model.total.to_bits());
        prop_assert_eq!(origin, provenance());
    }
}

#[test]
fn regressions_come_back_to_the_bit_and_a_model_without_them_says_so() {
    let (file, model) = (scratch("m.lcca"), model(3, 0.7, true));
    let panel = |rows: usize| Panel::from_fn(rows, 3, |i, j| (i as f64 + 0.3 * j as f64).tan());
    let regressions = Regressions { x: panel(5), y: panel(3), y_on_x: panel(3) };
    let names =
        ModelNames { x: Some(Names::new(["a", "b", "c", "d", "e"])), y: None, ..ModelNames::default() };
    write_model_whole(&file.path, &model, Some(&regressions), &names, &provenance()).unwrap();
    let back = ModelFile::open(&file.path).unwrap();
    assert_eq!(back.regressions().unwrap(), Some(regressions.clone()));
    assert_eq!((&back.model, back.names().unwrap()), (&model, names));
    let wrong = Regressions { y_on_x: panel(4), ..regressions };
    write_model_whole(&file.path, &model, Some(&wrong), &ModelNames::default(), &provenance()).unwrap();
    let error = ModelFile::open(&file.path).unwrap().regressions().unwrap_err().to_string();
    assert!(error.contains("y.on_x") && error.contains("(4, 3)") && error.contains("(3, 3)"), "{error}");
    write_model(&file.path, &model, &provenance()).unwrap();
    assert_eq!(ModelFile::open(&file.path).unwrap().regressions().unwrap(), None);
}

#[test]
fn a_model_written_before_als_had_a_choice_of_solvers_still_opens() {
    let file = scratch("old.lcca");
    write_model(&file.path, &model(2, 0.5, true), &provenance()).unwrap();
    let mut bytes = without_checksums(&std::fs::read(&file.path).unwrap());
    let added = br#",\"inner\":\"cholesky\""#;
    let start = bytes.windows(added.len()).position(|window| window == added).expect("the solver is written");
    bytes[start..start + added.len()].fill(b' ');
    std::fs::write(&file.path, bytes).unwrap();
    assert_eq!(read_model(&file.path).unwrap().0, model(2, 0.5, true));
}

#[test]
fn a_model_of_every_method_comes_back_with_its_parameters() {
    let by_cg = Method::named("als").unwrap().configured([("inner", "cg"), ("t2", "17")]).unwrap();
    let mut methods: Vec<Method> = Method::names().map(|name| Method::named(name).unwrap()).collect();
    assert_eq!(methods.len(), Method::specs().len());
    methods.push(by_cg);
    for method in methods {
        let file = scratch("method.lcca");
        let mut written = model(2, 0.5, false);
        written.settings.method = method;
        write_model(&file.path, &written, &provenance()).unwrap();
        assert_eq!(read_model(&file.path).unwrap().0.settings.method, method, "{method}");
    }
}

#[test]
fn a_model_remembers_its_fit() {
    let rows = |shift: u32| {
        lcca::matrix::OneHotRows::new(3, (0..30).map(|row| (row + shift) % 3).collect::<Vec<_>>().into())
    };
    let pair = lcca::data::InMemory::new(rows(0).unwrap().into(), rows(1).unwrap().into()).unwrap();
    let fit = lcca::fit::fit(&pair, &Settings::new(Method::lobpcg(), 3), &()).unwrap();
    let mut origin = provenance();
    FitRecord::new(&fit).insert_into(&mut origin);
    let file = scratch("m.lcca");
    write_model(&file.path, &fit.model, &origin).unwrap();
    let record = ModelFile::open(&file.path).unwrap().record().expect("the record was written");
    assert_eq!(record, FitRecord::new(&fit));
    // Centered one-hot views of three columns have two independent directions.
    assert_eq!(record.note_sentences().len(), 1);
    assert!(record.why().contains("is one-hot"), "{}", record.why());
    let known: Vec<_> = fit.decisions.iter().cloned().map(Recorded::Known).collect();
    assert_eq!(
        (record.decisions, record.converged, record.trace.len()),
        (known, fit.converged, fit.trace.len())
    );
    assert_eq!(FitRecord::from_provenance(&provenance()), None);
}

#[test]
fn names_of_columns_travel_with_a_model() {
    let (file, model) = (scratch("m.lcca"), model(2, 0.5, true));
    let names =
        ModelNames { x: Some(Names::new(["a", "", "é", "d", "e"])), y: None, ..ModelNames::default() };
    write_model_named(&file.path, &model, &names, &provenance()).unwrap();
    assert_eq!(read_model_names(&file.path).unwrap(), names);
    assert_eq!(read_model(&file.path).unwrap().0, model);
    let Info::Model(info) = describe(&file.path).unwrap() else { panic!("not a model") };
    assert_eq!((info.x_names.map(|names| names[2].clone()), info.y_names), (Some("é".into()), None));
    let names = ModelNames { y: Some(Names::new(["a"])), ..ModelNames::default() };
    let error = write_model_named(&file.path, &model, &names, &provenance()).unwrap_err().to_string();
    assert!(error.contains("y.name_ends: has a side of 1, expected 3"), "{error}");
}

#[test]
fn a_model_describes_itself() {
    let file = scratch("m.safetensors");
    write_model(&file.path, &model(4, 0.5, true), &provenance()).unwrap();
    let Info::Model(info) = describe(&file.path).unwrap() else { panic!("not a model") };
    assert_eq!((info.method, info.k, info.x_cols, info.y_cols), ("als", 4, 5, 3));
    assert_eq!(info.provenance, provenance());
    let json = serde_json::to_value(describe(&file.path).unwrap()).unwrap();
    assert_eq!((&json["kind"], &json["settings"]["method"]["name"]), (&json!("model"), &json!("als")));
    let error = read_matrix(&file.path).err().unwrap().to_string();
    assert!(error.contains("is a model, expected a matrix"), "{error}");
}

#[test]
fn a_matrix_describes_itself_and_is_not_a_model() {
    let file = scratch("m.lcca");
    write_matrix(&file.path, &sparse(&[vec![0.0, 2.0, 0.0]], true)).unwrap();
    let Info::Matrix(info) = describe(&file.path).unwrap() else { panic!("not a matrix") };
    assert_eq!((info.rows, info.cols, info.entries, info.storage), (1, 3, 1, "sparse f32"));
    let error = read_model(&file.path).err().unwrap().to_string();
    assert!(error.contains("is a matrix, expected a model"), "{error}");
}

#[test]
fn a_damaged_model_is_refused_in_one_line() {
    let file = scratch("m.lcca");
    write_model(&file.path, &model(2, 0.5, true), &provenance()).unwrap();
    let bytes = std::fs::read(&file.path).unwrap();
    for len in (0..bytes.len()).step_by(7) {
        std::fs::write(&file.path, &bytes[..len]).unwrap();
        let error = read_model(&file.path).err().unwrap().to_string();
        assert_eq!(error.lines().count(), 1, "{error}");
    }
}
