"""Files of single cells as stores of the program, and files that are none."""

import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import lcca
from lcca import sc
from lcca.sc.__main__ import main

ad = pytest.importorskip("anndata")
h5py = pytest.importorskip("h5py")
pd = pytest.importorskip("pandas")
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


def counts(cells, genes, seed):
    return sp.random(
        cells, genes, 0.2, format="csr", dtype=np.float32, random_state=seed,
        data_rvs=lambda n: np.arange(1, n + 1) % 9 + 1.0,
    )


def adata(cells=60, genes=12, seed=0):
    return ad.AnnData(
        counts(cells, genes, seed),
        obs=pd.DataFrame(index=[f"cell{i}" for i in range(cells)]),
        var=pd.DataFrame(index=[f"gène{i}" for i in range(genes)]),
    )


def ten_x(path, matrix, kinds=None, version=3):
    """A file as Cell Ranger writes it: genes × cells in compressed columns."""
    cells, genes = matrix.shape
    with h5py.File(path, "w") as file:
        group = file.create_group("matrix" if version == 3 else "GRCh38")
        for name, array in (
            ("data", matrix.data.astype(np.int32)), ("indices", matrix.indices.astype(np.int64)),
            ("indptr", matrix.indptr),
        ):
            group.create_dataset(name, data=array, compression="gzip", chunks=True)
        group["shape"] = np.array([genes, cells], dtype=np.int32)
        group["barcodes"] = np.array([f"AAAC{i}-1" for i in range(cells)], dtype="S")
        symbols, ids = [np.array([f"{kind}{i}" for i in range(genes)], dtype="S") for kind in ("SYM", "ENSG")]
        symbols[1] = symbols[0]
        if version == 3:
            features = group.create_group("features")
            features["id"], features["name"] = ids, symbols
            features["feature_type"] = np.array(kinds or ["Gene Expression"] * genes, dtype="S")
        else:
            group["genes"], group["gene_names"] = ids, symbols


def same_rows(store, expected, tmp_path, program):
    """A store holds these numbers: the program writes it as SciPy's .npz."""
    path = tmp_path / "check.npz"
    program("convert", store, path)
    np.testing.assert_array_equal(
        sp.load_npz(path).toarray(), expected.toarray() if sp.issparse(expected) else expected
    )
    assert "match their checksums" in program("info", store, "--verify")


def test_stores_hold_the_numbers_and_names_of_anndata(tmp_path, program):
    cells = adata()
    cells.layers["doubled"] = (cells.X * 2).astype(np.float64)
    cells.layers["columns"] = cells.X.tocsc()
    cells.layers["dense"] = cells.X.toarray()
    cells.raw = cells.copy()
    cells = cells[:, :8].copy()
    path = tmp_path / "cells.h5ad"
    cells.write_h5ad(path)
    [store] = sc.convert(path, tmp_path / "cells.safetensors")
    same_rows(store, cells.X, tmp_path, program)
    opened = lcca.read(store)
    assert opened.names == list(cells.var_names) and opened.row_names == list(cells.obs_names)
    for layer in ("doubled", "columns"):
        [store] = sc.convert(path, tmp_path / "layer.safetensors", layer=layer)
        same_rows(store, cells.layers[layer], tmp_path, program)
    [store] = sc.convert(path, tmp_path / "dense.safetensors", layer="dense")
    assert lcca.read(store).kind == "dense f32"
    [store] = sc.convert(path, tmp_path / "raw.safetensors", use_raw=True)
    assert lcca.read(store).shape == (60, 12)
    assert not [name for name in os.listdir(tmp_path) if name.startswith(".lcca-")]


def test_modalities_and_types_of_features_become_stores_of_their_own(tmp_path, program):
    md = pytest.importorskip("mudata")
    rna, atac = adata(), adata(genes=7, seed=1)
    atac.var_names = [f"peak{i}" for i in range(7)]
    md.MuData({"rna": rna, "atac": atac}).write(tmp_path / "both.h5mu")
    stores = sc.convert(tmp_path / "both.h5mu", tmp_path / "stores")
    assert sorted(os.path.basename(store) for store in stores) == ["atac.safetensors", "rna.safetensors"]
    same_rows(tmp_path / "stores" / "atac.safetensors", atac.X, tmp_path, program)
    assert sc.convert(tmp_path / "both.h5mu", tmp_path / "one.safetensors", modality="rna")
    matrix = counts(60, 12, 3)
    ten_x(tmp_path / "ten.h5", matrix, ["Gene Expression"] * 9 + ["Antibody Capture"] * 3)
    stores = sc.convert(tmp_path / "ten.h5", tmp_path / "types")
    same_rows(tmp_path / "types" / "Gene_Expression.safetensors", matrix[:, :9], tmp_path, program)
    same_rows(tmp_path / "types" / "Antibody_Capture.safetensors", matrix[:, 9:], tmp_path, program)


@pytest.mark.parametrize("version", [2, 3])
def test_both_versions_of_ten_x_are_read(version, tmp_path, program):
    matrix = counts(60, 12, 3)
    ten_x(tmp_path / "ten.h5", matrix, version=version)
    [store] = sc.convert(tmp_path / "ten.h5", tmp_path / "ten.safetensors")
    same_rows(store, matrix, tmp_path, program)
    assert lcca.read(store).names[:2] == ["SYM0 ENSG0", "SYM0 ENSG1"]


def test_the_shell_and_python_find_the_same_numbers(tmp_path, program):
    rows = counts(500, 40, 3)
    ten_x(tmp_path / "ten.h5", rows, ["Gene Expression"] * 25 + ["Antibody Capture"] * 15)
    done = subprocess.run(
        [sys.executable, "-m", "lcca.sc", "convert", tmp_path / "ten.h5", "-o", tmp_path / "stores"],
        capture_output=True,
        text=True,
        check=True,
    )
    x, y = done.stdout.split()
    opened = sc.read(tmp_path / "ten.h5")
    assert sc.cca(opened, n_components=3, normalize_rows="log1p").n_samples_ == 500
    program("fit", x, y, "-k", 3, "--normalize-rows", "log1p", "-o", tmp_path / "model")
    truth = lcca.CCA(3, normalize_rows="log1p").fit(rows[:, :25], rows[:, 25:])
    for correlations in (lcca.load(tmp_path / "model").correlations_, opened.uns["cca"]["correlations"]):
        np.testing.assert_allclose(correlations, truth.correlations_, rtol=0, atol=1e-9)


def test_integers_beyond_single_precision_are_doubles(tmp_path):
    matrix = counts(20, 5, 1).astype(np.int32)
    matrix.data[3] = 2**24 + 1
    with h5py.File(tmp_path / "a.h5", "w") as file:
        group = file.create_group("matrix")
        group["data"], group["indices"], group["indptr"] = matrix.data, matrix.indices, matrix.indptr
        group["shape"], group["barcodes"] = [5, 20], np.array([f"c{i}" for i in range(20)], dtype="S")
        features = group.create_group("features")
        features["id"] = features["name"] = np.array([f"g{i}" for i in range(5)], dtype="S")
    [store] = sc.convert(tmp_path / "a.h5", tmp_path / "a.safetensors")
    assert lcca.read(store).kind == "sparse f64"


def one_line(code, stdout, stderr):
    """The one line that `python -m lcca.sc convert` prints before it exits with code 2."""
    assert code == 2 and not stdout, stderr
    [line] = stderr.splitlines()
    return line


def test_files_that_are_none_are_one_line(tmp_path, program, capsys, monkeypatch):
    monkeypatch.setenv("LCCA_SC_CHILD", "1")

    def refused(*words):
        return one_line(main(["convert", *map(str, words)]), *capsys.readouterr())

    adata().write_h5ad(tmp_path / "good.h5ad")
    whole = (tmp_path / "good.h5ad").read_bytes()
    (tmp_path / "cut.h5ad").write_bytes(whole[: len(whole) // 2])
    (tmp_path / "text.h5ad").write_text("no HDF5")
    with h5py.File(tmp_path / "foreign.h5", "w") as file:
        file["weather"] = np.ones(3)
    with h5py.File(tmp_path / "broken.h5ad", "w") as file:
        for name in ("obs", "var", "X"):
            file.create_group(name)
    out = ["-o", tmp_path / "out.safetensors"]
    assert "truncated, damaged or of another format" in refused(tmp_path / "cut.h5ad", *out)
    assert "truncated, damaged or of another format" in refused(tmp_path / "text.h5ad", *out)
    assert "is an HDF5 file with weather, expected AnnData" in refused(tmp_path / "foreign.h5", *out)
    assert "X has no data" in refused(tmp_path / "broken.h5ad", *out)
    assert "No such file" in refused(tmp_path / "nowhere.h5ad", *out)
    assert "has no layer 'nowhere'" in refused(tmp_path / "good.h5ad", *out, "--layer", "nowhere")
    assert "has no raw" in refused(tmp_path / "good.h5ad", *out, "--raw")
    for kind in ("csr", "csc"):
        path = tmp_path / f"{kind}.h5ad"
        found = adata()
        found.X = found.X.asformat(kind)
        found.write_h5ad(path)
        with h5py.File(path, "r+") as file:
            file["X/indices"][5] = 2**30
        assert "X/indices has 1073741824, expected numbers from 0 to" in refused(path, *out)
    assert not (tmp_path / "out.safetensors").exists()
    kinds = ad.AnnData(
        np.ones((3, 2), dtype=np.float32),
        var=pd.DataFrame({"feature_types": ["a b", "a_b"]}, index=["g", "h"]),
    )
    kinds.write_h5ad(tmp_path / "kinds.h5ad")
    assert "two of a b, a_b would be written to the same file" in refused(
        tmp_path / "kinds.h5ad", "-o", tmp_path / "folder"
    )
    with pytest.raises(
        AssertionError, match=r"good.h5ad: is an HDF5 file .* `python -m lcca.sc convert FILE -o FOLDER`"
    ):
        program("fit", tmp_path / "good.h5ad", tmp_path / "good.h5ad")
    with pytest.raises(AssertionError, match="is named like HDF5 but does not begin like one"):
        program("info", tmp_path / "text.h5ad")


def test_a_crash_of_the_library_is_one_line_too(tmp_path, monkeypatch):
    adata().write_h5ad(tmp_path / "good.h5ad")
    # A module of this name that kills the process takes the place of h5py.
    (tmp_path / "h5py.py").write_text("import os, signal\nos.kill(os.getpid(), signal.SIGSEGV)\n")
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    words = ["-m", "lcca.sc", "convert", tmp_path / "good.h5ad", "-o", tmp_path / "out.safetensors"]
    done = subprocess.run([sys.executable, *words], capture_output=True, text=True, check=False)
    line = one_line(done.returncode, done.stdout, done.stderr)
    assert "good.h5ad: the file is damaged, and the library that reads HDF5 crashed on it" in line
