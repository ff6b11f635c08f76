"""What Python leaves to the program `lcca`: `python -m lcca` and `lcca.report`."""

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROOT

import lcca
from lcca import _program


@pytest.fixture
def installed(program, monkeypatch):
    """The program as if it were on PATH."""
    monkeypatch.setenv("LCCA_PROGRAM", os.environ.get("LCCA_PROGRAM", str(ROOT / "target/release/lcca")))


def page(path):
    """A page without styles, and the data in it."""
    text = path.read_text(encoding="utf-8")
    return text.split("<body>")[1], json.loads(re.search(r'id="data">(.*?)</script>', text).group(1))


def countries():
    pandas, found = pytest.importorskip("pandas"), lcca.datasets.load_countries()
    views = ((found.data, found.feature_names), (found.target, found.target_names))
    return [pandas.DataFrame(numbers, index=found.index, columns=names) for numbers, names in views]


def test_python_m_lcca_runs_the_program(program, installed):
    done = subprocess.run(
        [sys.executable, "-m", "lcca", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout == program("--version")
    refused = subprocess.run(
        [sys.executable, "-m", "lcca", "fit", "nowhere.csv", "nowhere.csv"],
        capture_output=True,
        text=True,
        check=False,
    )
    assert refused.returncode == 2 and "nowhere.csv" in refused.stderr


def test_a_missing_program_is_missed_in_one_line(tmp_path, monkeypatch, factors):
    monkeypatch.delenv("LCCA_PROGRAM", raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.setattr(_program.sysconfig, "get_path", lambda name: str(tmp_path))
    model = lcca.CCA(1).fit(*factors)
    with pytest.raises(FileNotFoundError, match="cargo install"):
        lcca.report(model, *factors, tmp_path / "report.html")
    monkeypatch.setattr(sys, "argv", ["lcca", "info"])
    assert _program.main() == 2
    assert os.listdir(tmp_path) == []


def test_the_program_beside_this_python_comes_before_others(tmp_path, monkeypatch):
    monkeypatch.delenv("LCCA_PROGRAM", raising=False)
    name = "lcca.exe" if os.name == "nt" else "lcca"
    for folder in ("beside", "path"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / name).write_text("")
        (tmp_path / folder / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path / "path"))
    assert _program.find() == str(tmp_path / "path" / name)
    monkeypatch.setattr(_program.sysconfig, "get_path", lambda name: str(tmp_path / "beside"))
    assert _program.find() == str(tmp_path / "beside" / name)


def test_a_page_has_the_rows_and_their_names(installed, tmp_path):
    X, Y = countries()
    model = lcca.CCA(2).fit(X, Y)
    target = tmp_path / "report.html"
    sure, tested = lcca.bootstrap(model, X, Y, n=20), lcca.permutation_test(model, X, Y, n=9)
    labels = ["rich" if income > 1000 else None for income in Y["income"]]
    lcca.report(model, X, Y, target, labels=labels, bootstrap=sure, significance=tested)
    markup, data = page(target)
    assert data["given"]["titles"][3] == f"{X.index[3]}, no label"
    assert np.allclose(data["given"]["correlations"], model.correlations_)
    for said in (
        "95% interval", "p adjusted", "under15", ">rich</text>",
        "They look like the rows that the model was trained on",
    ):
        assert said in markup, said
    assert str(tmp_path) not in markup and "/tmp" not in markup


def test_a_page_of_sparse_rows_of_gaps_and_of_the_model_alone(installed, tmp_path, words):
    X, Y = words
    model = lcca.CCA(2, ridge=0.1).fit(X, Y)
    lcca.report(model, sp.csc_array(X), Y, tmp_path / "sparse.html")
    assert np.allclose(page(tmp_path / "sparse.html")[1]["given"]["correlations"], model.correlations_)
    lcca.report(model, None, None, tmp_path / "alone.html")
    assert page(tmp_path / "alone.html")[1]["given"] is None
    X, Y = countries()
    gaps = X.copy()
    gaps.iloc[0, 0] = np.nan
    with pytest.warns(lcca.DataWarning, match="left out"):
        model = lcca.CCA(1, missing="drop").fit(gaps, Y)
    with pytest.warns(lcca.DataWarning, match="left out"):
        lcca.report(model, gaps, Y, tmp_path / "gaps.html", labels=Y["income"] > 1000)
    titles = page(tmp_path / "gaps.html")[1]["given"]["titles"]
    assert len(titles) == len(X) - 1 and titles[0].startswith(str(X.index[1]))


def test_covariates_reach_the_page(installed, tmp_path):
    X, Y = countries()
    model = lcca.CCA(1).fit(X, Y[["savings", "growth"]], covariates=Y[["income"]])
    lcca.report(model, X, Y[["savings", "growth"]], tmp_path / "report.html", covariates=Y[["income"]])
    assert np.allclose(page(tmp_path / "report.html")[1]["given"]["correlations"], model.correlations_)


def test_what_cannot_be_shown_is_refused(installed, tmp_path, factors):
    X, Y = factors
    model = lcca.CCA(1).fit(X, Y)
    for match, arguments in (
        ("expected .html", (X, Y, tmp_path / "report.txt")),
        ("both are needed", (X, None, tmp_path / "report.html")),
        ("paths of both", ("x.csv", Y, tmp_path / "report.html")),
    ):
        with pytest.raises(ValueError, match=match):
            lcca.report(model, *arguments)
    with pytest.raises(ValueError, match="2 labels, expected one per row"):
        lcca.report(model, X, Y, tmp_path / "report.html", labels=["a", "b"])
    assert os.listdir(tmp_path) == []
