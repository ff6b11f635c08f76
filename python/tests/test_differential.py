"""A few legal files per format, each read by lcca and by its format's own library.
`cargo xtask fuzz --differential` reads more."""

import warnings

import numpy as np
import pytest
from conftest import ROOT

pytest.importorskip("pyarrow")
pytest.importorskip("pandas")

FILES = 60
FORMATS = ["arrow", "csv", "mtx", "npy", "npz", "parquet", "svm", "tsv"]


@pytest.fixture(autouse=True)
def tools(monkeypatch):
    """The generators import each other by name, and libraries may warn about what they write."""
    monkeypatch.syspath_prepend(str(ROOT / "tools"))
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


@pytest.mark.parametrize("name", FORMATS)
def test_what_is_read_is_what_other_libraries_read(name, tmp_path):
    from differential import run

    assert sorted(run.FORMATS) == FORMATS
    tally = run.run(name, 1, FILES, tmp_path)
    assert tally.passed, tally.table()


def test_a_difference_is_found_and_the_file_is_kept(tmp_path, monkeypatch):
    from differential import run
    from differential.case import Case, Expected

    def wrong(random, folder):
        np.save(folder / "t.npy", np.ones((2, 2)))
        return Case(folder / "t.npy", lambda: Expected(np.array([[1.0, 1.0], [1.0, 2.0]])))

    monkeypatch.setitem(run.FORMATS, "npy", wrong)
    tally = run.run("npy", 7, 1, tmp_path)
    assert not tally.passed and "row 1, column 1: 1.0, expected 2.0" in tally.table().replace(
        "np.float64(1.0)", "1.0"
    ).replace("np.float64(2.0)", "2.0")
    assert "--format npy --seed 7 --files 1" in tally.table() and (tmp_path / "differs-7-t.npy").exists()


def test_a_reader_that_refuses_everything_does_not_pass(tmp_path, monkeypatch):
    from differential import run
    from differential.case import Case, Expected

    def broken(random, folder):
        (folder / "t.npy").write_bytes(b"not an array")
        return Case(folder / "t.npy", lambda: Expected(np.ones((2, 2))))

    monkeypatch.setitem(run.FORMATS, "npy", broken)
    tally = run.run("npy", 1, 5, tmp_path)
    assert not tally.passed and len(tally.differences) == 5 and "refused without a reason: " in tally.table()
