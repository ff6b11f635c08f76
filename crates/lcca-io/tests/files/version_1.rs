//! Stores, models and checkpoints of the first version still open, and still mean the same.
//!
//! The files in `version-1` were written by that version from `x.mtx` and `y.mtx`. It also printed the
//! numbers below.

use lcca::data::InMemory;
use lcca::fit::{fit, resume};
use lcca::method::{Method, Settings};
use lcca_io::{Identity, ModelFile, read_checkpoint, read_matrix};
use std::path::PathBuf;

fn file(name: &str) -> PathBuf {
    [env!("CARGO_MANIFEST_DIR"), "tests/files/version-1", name].iter().collect()
}

fn pair() -> InMemory {
    let [x, y] = ["x.mtx", "y.mtx"].map(|name| read_matrix(&file(name)).unwrap().matrix);
    InMemory::new(x, y).unwrap()
}

#[test]
fn a_store_opens() {
    let [stored, original] = ["store.safetensors", "x.mtx"].map(|name| {
        let matrix = read_matrix(&file(name)).unwrap().matrix;
        format!("{matrix:?}")
    });
    assert_eq!(stored, original);
}

#[test]
fn a_model_opens_with_its_settings_and_its_record() {
    let opened = ModelFile::open(&file("model-l-cca.safetensors")).unwrap();
    let model = &opened.model;
    assert_eq!(model.settings.method, Method::l_cca(5, 6, 4));
    assert_eq!((model.settings.k, model.settings.ridge_x, model.rows), (3, 0.1, 60));
    let printed = [0.9571810216051545, 0.9550723599322777, 0.9435848904075296];
    let scores = model.score(&pair()).unwrap();
    for (now, then) in scores.correlations.iter().zip(printed) {
        assert!((now - then).abs() < 1e-12, "{now} {then}");
    }
    assert!((scores.captured - 2.855940141116221).abs() < 1e-12);
    let record = opened.record().unwrap();
    assert!(!record.converged && record.passes == 45.0 && record.certificate.is_some());
    assert_eq!((record.chosen.as_str(), record.why().as_str()), ("l-cca", "asked for"));
    assert_eq!(record.trace.len(), 5);
}

#[test]
fn a_model_of_an_inner_solver_opens() {
    let opened = ModelFile::open(&file("model-als-cg.safetensors")).unwrap();
    let expected = Method::als(30).configured([("inner", "cg"), ("t2", "500")]).unwrap();
    assert_eq!(opened.model.settings.method, expected);
}

#[test]
fn a_checkpoint_continues_to_the_answer_of_a_whole_fit() {
    let settings = Settings::new(Method::d_cca(9), 2);
    let identity = Identity::new(&pair(), &settings).unwrap();
    let state = read_checkpoint(&file("checkpoint.safetensors"), &identity).unwrap();
    assert_eq!(state.trace.len(), 3);
    let [whole, end] =
        [fit(&pair(), &settings, &()).unwrap(), resume(state, &pair(), &settings, &()).unwrap()];
    assert_eq!(end.trace.len(), 9);
    for (now, whole) in end.model.objective.iter().zip(&whole.model.objective) {
        assert!((now - whole).abs() < 1e-9, "{now} {whole}");
    }
}
