"""Python and the program: the same answers, the same files, to the bit."""

import json
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROOT
from sklearn.exceptions import NotFittedError

import lcca
from lcca import CCA

METHODS = [
    ("", {}),
    ("--method lobpcg --ridge 0.1 --seed 5", {"method": "lobpcg", "ridge": 0.1, "random_state": 5}),
    ("--method lobpcg --no-structure --no-center", {"method": "lobpcg", "structure": False, "center": False}),
    ("--method l-cca --k-pc 20 --t2 4 --t1 3", {"method": "l-cca", "k_pc": 20, "t2": 4, "t1": 3}),
    (
        "--method als --inner cg --t1 4 --ridge-y 0.5",
        {"method": "als", "inner": "cg", "t1": 4, "ridge_y": 0.5},
    ),
    ("--method rp-cca --k-rpcca 30 --power 3", {"method": "rp-cca", "k_rpcca": 30, "power": 3}),
    ("--method sketch --sketch-rows 200", {"method": "sketch", "sketch_rows": 200}),
    ("--method shift-invert --ridge 0.2 --tol 1e-6", {"method": "shift-invert", "ridge": 0.2, "tol": 1e-6}),
]
pytestmark = pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")


@pytest.fixture
def files(words, tmp_path):
    """Compressed rows of ones, and compressed columns of whole numbers:
    both views as the program reads them."""
    x, y = words[0], sp.csc_array(words[1] * 3, dtype="i4")
    sp.save_npz(tmp_path / "x.npz", x)
    sp.save_npz(tmp_path / "y.npz", y)
    return x, y, tmp_path


@pytest.mark.parametrize(("flags", "parameters"), METHODS, ids=[flags or "auto" for flags, _ in METHODS])
@pytest.mark.parametrize("threads", [1, 2])
def test_the_same_seed_and_threads_give_identical_fits(program, files, flags, parameters, threads):
    x, y, folder = files
    words = f"-k 4 --threads {threads} --json --quiet {flags}".split()
    theirs = json.loads(program("fit", folder / "x.npz", folder / "y.npz", *words, "--hold-out", "no"))
    ours = CCA(4, n_jobs=threads, **parameters).fit(x, y)
    for name in ("correlations", "objective", "residuals"):
        assert theirs[name] == getattr(ours, f"{name}_").tolist()
    facts = (ours.total_, ours.converged_, ours.n_passes_, ours.n_gram_passes_, ours.chosen_, ours.why_)
    assert facts == tuple(theirs[name] for name in ("total", "converged", "passes", "gram_passes")) + (
        theirs["chosen"]["name"],
        theirs["why"],
    )


def test_held_out_correlations_are_the_programs(program, files):
    x, y, folder = files
    printed = program(
        "fit", folder / "x.npz", folder / "y.npz", "-k", 3, "--hold-out", 0.25, "--json", "--quiet",
        "--threads", 1,
    )
    theirs, ours = json.loads(printed), CCA(3, hold_out=0.25, n_jobs=1).fit(x, y)
    assert np.allclose(theirs["held_out"]["held_out"], ours.held_out_correlations_, rtol=0, atol=1e-12)
    assert np.allclose(
        theirs["held_out"]["training"], ours.held_out_training_correlations_, rtol=0, atol=1e-12
    )
    assert np.allclose(theirs["correlations"], ours.correlations_, rtol=0, atol=1e-12)


def test_a_model_of_the_program_transforms_and_scores_to_the_bit(program, files):
    x, y, folder = files
    paths, model = (folder / "x.npz", folder / "y.npz"), folder / "model"
    program("fit", *paths, "-k", 3, "-o", model, "--quiet", "--ridge", 0.1)
    loaded = lcca.load(model)
    assert loaded.get_params()["ridge"] == 0.1 and loaded.n_components == 3
    for side, view, ours in (("x", x, 0), ("y", y, 1)):
        program(
            "transform", model, f"--{side}", folder / f"{side}.npz", "-o", folder / "scores.npy", "--quiet"
        )
        assert (np.load(folder / "scores.npy") == loaded.transform(x, y)[ours]).all(), view
    theirs = json.loads(program("score", model, *paths, "--json", "--threads", 2))
    loaded.n_jobs = 2
    assert theirs["correlations"] == loaded.correlations(x, y).tolist()
    here = CCA(3, ridge=0.1).fit(x, y)
    assert np.allclose(loaded.predict(x), here.predict(x), rtol=0, atol=1e-8)


def test_a_loaded_model_predicts_to_the_bit_and_an_old_one_says_that_it_cannot(factors, tmp_path):
    x, y = factors
    model = CCA(2, ridge=0.1).fit(x, y)
    model.save(tmp_path / "model")
    loaded = lcca.load(tmp_path / "model")
    assert (loaded.predict(x) == model.predict(x)).all() and (loaded.coef_ == model.coef_).all()
    both = loaded.inverse_transform(*loaded.transform(x, y))
    assert all(
        (ours == theirs).all()
        for ours, theirs in zip(both, model.inverse_transform(*model.transform(x, y)), strict=True)
    )
    model._y_on_x_regression = None
    model.save(tmp_path / "old")
    old = lcca.load(tmp_path / "old")
    for use in (old.predict, old.inverse_transform):
        with pytest.raises(
            NotFittedError, match="holds no regressions, as an earlier version wrote it: fit again to predict"
        ):
            use(x[:, :2] if use == old.inverse_transform else x)


def test_a_model_of_python_serves_the_program(program, files):
    x, y, folder = files
    fitted = CCA(3, method="lobpcg", ridge=0.3, ridge_y=0.1, random_state=9, n_jobs=2).fit(x, y)
    fitted.save(folder / "model")
    theirs = json.loads(
        program("score", folder / "model", folder / "x.npz", folder / "y.npz", "--json", "--threads", 2)
    )
    assert theirs["correlations"] == fitted.correlations(x, y).tolist()
    assert theirs["training_correlations"] == fitted.correlations_.tolist()
    again = lcca.load(folder / "model")
    assert (
        (again.transform(x) == fitted.transform(x)).all()
        and (again.x_loadings_ == fitted.x_loadings_).all()
    )
    names = ("method", "ridge", "ridge_y", "random_state", "n_components", "tol", "center")
    assert [again.get_params()[name] for name in names] == [fitted.get_params()[name] for name in names]


@pytest.mark.parametrize(("_flags", "parameters"), METHODS, ids=[flags or "auto" for flags, _ in METHODS])
def test_a_loaded_model_knows_its_parameters_and_can_be_fitted_again(files, _flags, parameters):
    x, y, folder = files
    fitted = CCA(3, **parameters).fit(x, y)
    fitted.save(folder / "model")
    again = lcca.load(folder / "model")
    for name, value in parameters.items():
        assert getattr(again, name) == value
    assert (again.fit(x, y).correlations_ == fitted.correlations_).all()


def outcome(model):
    """How a fit ended, as far as a model file holds it."""
    names = ("converged", "missing", "chosen", "why", "notes", "decisions", "n_passes", "n_gram_passes")
    points = [
        {name: row[name] for name in ("iteration", "passes", "gram_passes", "total", "missing")}
        for row in model.trace_
    ]
    return [getattr(model, f"{name}_") for name in names], points


@pytest.mark.parametrize(("flags", "parameters"), METHODS, ids=[flags or "auto" for flags, _ in METHODS])
def test_a_model_remembers_how_its_fit_ended_whichever_program_wrote_it(program, files, flags, parameters):
    x, y, folder = files
    fitted = CCA(3, n_jobs=1, **parameters).fit(x, y)
    fitted.save(folder / "ours")
    loaded = lcca.load(folder / "ours")
    assert outcome(loaded) == outcome(fitted) and loaded.trace_ and loaded.decisions_
    assert loaded.work_ is None and loaded.fit_seconds_ is None and "seconds" not in loaded.trace_[0]
    plain = ["-k", 3, "--threads", 1, "--quiet", "--hold-out", "no"]
    program("fit", folder / "x.npz", folder / "y.npz", *plain, "-o", folder / "theirs", *flags.split())
    assert outcome(lcca.load(folder / "theirs")) == outcome(fitted)
    # Saving a loaded model keeps what it remembers.
    loaded.save(folder / "again")
    assert outcome(lcca.load(folder / "again")) == outcome(fitted)
    verdict = "converged" if fitted.converged_ else "not converged"
    assert f"{fitted.chosen_}: 3 pairs" in loaded.report() and f"\n{verdict}: " in loaded.report()


def test_the_report_of_a_model_of_python_says_how_the_fit_ended(program, files):
    x, y, folder = files
    fitted = CCA(3, method="lobpcg").fit(x, y)
    fitted.save(folder / "model")
    program("report", folder / "model", "-o", folder / "report.html", "--quiet")
    page = (folder / "report.html").read_text()
    assert "not known" not in page and "onverged" in page
    assert f"It took {fitted.n_passes_:g} pass" in page


def test_decisions_and_notes_are_data(factors, words):
    model = CCA(2).fit(*factors)
    (decision,) = model.decisions_
    assert decision == {"decision": "narrow-views", "columns": [8, 6]} and model.notes_ == []
    twice = np.c_[factors[0][:, 0], factors[0][:, 0], factors[0][:, 0]]
    with pytest.warns(UserWarning) as warned:
        model = CCA(3).fit(twice, factors[1])
    (note,) = model.notes_
    assert (
        [str(note)] == [str(warning.message) for warning in warned]
        and "1 of the 3 requested pairs" in note.text
    )
    assert (note.kind, note.numbers) == ("fewer-pairs", {"pairs": 1, "requested": 3})
    assert CCA(2, method="lobpcg", structure=False).fit(*words).decisions_[0] == {
        "decision": "method-requested"
    }


def test_files_of_earlier_versions_tell_what_they_hold(files, factors, tmp_path):
    fitted = CCA(2).fit(*factors)
    fitted._provenance = {}
    fitted.save(tmp_path / "oldest")
    oldest = lcca.load(tmp_path / "oldest")
    assert oldest.notes_ == []
    names = "converged missing chosen why decisions n_passes n_gram_passes trace work fit_seconds".split()
    assert [getattr(oldest, f"{name}_") for name in names] == [None] * len(names)
    assert "loaded: 2 pairs" in oldest.report()
    point = {"iteration": 1, "passes": 1.0, "gram_passes": 0.0, "total": 0.5, "missing": None}
    fitted._provenance = {
        "outcome": {
            "chosen": "als --inner cg", "why": "asked for", "converged": False, "missing": None,
            "passes": 7.5, "gram_passes": 0.0, "notes": ["a note"], "certified": None, "trace": [point],
        }
    }
    fitted.save(tmp_path / "older")
    older = lcca.load(tmp_path / "older")
    assert (older.chosen_, older.why_, older.decisions_) == ("als", "asked for", ["asked for"])
    assert older.notes_ == [lcca.Note("text", "a note")]
    assert (older.converged_, older.missing_, older.n_passes_, older.trace_) == (False, np.inf, 7.5, [point])
    assert "cannot tell" in older.report()


@pytest.mark.parametrize(
    ("name", "parameters"),
    [("als-cg", {"method": "als", "inner": "cg"}), ("l-cca", {"method": "l-cca"})],
)
def test_models_of_the_first_version_open_with_their_parameters_and_their_fit(name, parameters):
    folder = ROOT / "crates/lcca-io/tests/files/version-1"
    model = lcca.load(folder / f"model-{name}.safetensors")
    assert {key: getattr(model, key) for key in parameters} == parameters
    assert model.chosen_ == parameters["method"] and isinstance(model.converged_, bool) and model.trace_
    assert model.why_ and model.decisions_ == [model.why_]
    assert model.transform(folder / "x.mtx").shape == (model.n_samples_, model.n_components)


def test_names_survive_files(program, factors, tmp_path):
    pandas = pytest.importorskip("pandas")
    frames = [pandas.DataFrame(view).add_prefix(side) for side, view in zip("xy", factors, strict=True)]
    CCA(2).fit(*frames).save(tmp_path / "model")
    again = lcca.load(tmp_path / "model")
    assert (
        list(again.feature_names_in_) == list(frames[0])
        and list(again.y_feature_names_in_) == list(frames[1])
    )
    assert again.transform(frames[0]).shape == (300, 2)
    for name, frame in zip("xy", frames, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv", index=False)
        program("convert", tmp_path / f"{name}.csv", tmp_path / f"{name}.safetensors", "--quiet")
    stores = CCA(2).fit(tmp_path / "x.safetensors", tmp_path / "y.safetensors")
    assert list(stores.feature_names_in_) == list(frames[0])
    assert np.allclose(stores.correlations_, again.correlations_)


def test_a_file_that_is_no_model_is_refused_and_nothing_is_overwritten(files, factors):
    _, _, folder = files
    with pytest.raises(ValueError, match="x.npz"):
        lcca.load(folder / "x.npz")
    with pytest.raises(FileNotFoundError):
        lcca.load(folder / "none")
    with pytest.raises(ValueError, match="no/such does not exist"):
        CCA(1).fit(*factors).save(folder / "no" / "such" / "folder")
    with pytest.raises(NotFittedError):
        CCA(1).save(folder / "model")
    assert not (folder / "model").exists()


def test_a_loaded_model_is_shown_as_it_was_typed(factors, tmp_path):
    """Neither what a method does by default nor the memory of the machine that fitted was typed."""
    X, Y = factors
    for model in (
        CCA(2), CCA(1, method="l-cca", t1=4, ridge=0.1), CCA(2, method="als", inner="cg"),
        CCA(1, method="als", t1=5),
    ):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            model.fit(X, Y).save(tmp_path / "model")
        loaded = lcca.load(tmp_path / "model")
        assert repr(loaded) == repr(model)
        assert np.array_equal(loaded.transform(X), model.transform(X))


@pytest.mark.parametrize("variables", ["unit-length", "unit-variance"])
def test_variables_of_a_saved_model_have_the_same_unit_everywhere(program, files, variables):
    x, y, folder = files
    fitted = CCA(3, ridge=0.1, variables=variables).fit(x, y)
    fitted.save(folder / "model")
    again = lcca.load(folder / "model")
    assert again.variables == variables
    program("transform", folder / "model", "--x", folder / "x.npz", "-o", folder / "scores.npy", "--quiet")
    assert (
        (np.load(folder / "scores.npy") == fitted.transform(x)).all()
        and (again.transform(x) == fitted.transform(x)).all()
    )
    unit = 1.0 if variables == "unit-length" else np.sqrt(x.shape[0])
    program(
        "fit", folder / "x.npz", folder / "y.npz", "-k", 3, "-o", folder / "theirs", "--quiet", "--ridge", 0.1
    )
    theirs = lcca.load(folder / "theirs")
    assert theirs.variables == "unit-length"
    np.testing.assert_allclose(fitted.x_weights_, unit * theirs.x_weights_, rtol=1e-12)
    np.testing.assert_allclose(fitted.predict(x), theirs.predict(x), rtol=1e-9, atol=1e-12)
