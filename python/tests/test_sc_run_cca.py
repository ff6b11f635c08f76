"""Two data sets of different cells, aligned as Seurat's RunCCA does, against its definition in NumPy."""

import json
import warnings
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from scipy.sparse.linalg import svds

import lcca
from lcca import sc

ad = pytest.importorskip("anndata")


def counts(cells, genes, seed, types=8):
    """Sparse counts of cells of some types, which are the same for every seed."""
    means = np.random.default_rng(99).gamma(0.3, 1.0, (types, genes))
    random = np.random.default_rng(seed)
    found = random.poisson(means[random.integers(types, size=cells)])
    return sp.csr_matrix(found.astype(np.float32))


def adata(cells, genes, seed):
    import pandas as pd

    obs = pd.DataFrame(index=[f"cell{seed}-{i}" for i in range(cells)])
    return ad.AnnData(
        counts(cells, genes, seed), obs=obs, var=pd.DataFrame(index=[f"g{i}" for i in range(genes)])
    )


def by_definition(first, second, k):
    """The singular vectors of the product of all standardized cells:
    Seurat's RunCCA, with a dense SVD in place of irlba."""
    standardized = []
    for rows in (first, second):
        dense = np.asarray(rows.toarray() if sp.issparse(rows) else rows, dtype=float)
        centered = dense - dense.mean(axis=1, keepdims=True)
        deviation = centered.std(axis=1, ddof=1, keepdims=True)
        standardized.append(centered / np.where(deviation > 0, deviation, np.inf))
    product = standardized[0] @ standardized[1].T
    if len(product) > 1000:  # the same to rounding, in a second instead of a minute
        u, values, v = svds(product, k, tol=0, random_state=0)
        u, values, v = u[:, ::-1], values[::-1], v[::-1]
    else:
        u, values, v = np.linalg.svd(product, full_matrices=False)
    signs = np.where(u[0] < 0, -1, 1)
    return (u * signs)[:, :k], (v.T * signs)[:, :k], values[:k]


@pytest.fixture(autouse=True)
def quiet_about_empty_cells():
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", "[0-9]+ cells of data set")
        yield


def agrees(found, truth, tolerance=1e-8):
    for side, exact in zip((found.x, found.y, found.values), truth, strict=True):
        np.testing.assert_allclose(side, exact, rtol=0, atol=tolerance * np.abs(exact).max())


def test_embeddings_are_those_of_the_definition():
    both = adata(3000, 500, 1), adata(3000, 500, 2)
    found = sc.run_cca(*both)
    agrees(found, by_definition(both[0].X, both[1].X, 20))
    assert found.genes == list(both[0].var_names)
    assert max(found.departure) < 1e-10
    np.testing.assert_allclose(found.x.T @ found.x, np.eye(20), atol=1e-9)
    lengths = [np.linalg.norm(side, axis=1) for side in found.normalized()]
    np.testing.assert_allclose(np.concatenate(lengths), 1)


def test_embeddings_are_those_of_seurat():
    known = json.loads((Path(__file__).parent / "seurat_run_cca.json").read_text())
    both = [sp.csr_matrix(np.array(known[name], dtype=float)) for name in ("first", "second")]
    ways = {"embeddings": {}, "scaled_embeddings": {"normalize_rows": "log1p", "scale_genes": True}}
    for name, options in ways.items():
        found = sc.run_cca(*both, 3, **options)
        np.testing.assert_allclose(np.concatenate([found.x, found.y]), known[name], rtol=0, atol=1e-10)


def test_every_storage_gives_the_same_embeddings(tmp_path):
    both = adata(400, 60, 1), adata(500, 60, 2)
    truth = by_definition(both[0].X, both[1].X, 5)
    agrees(sc.run_cca(both[0].X.toarray().astype(float), both[1].X.tocsc(), 5), truth)
    paths = [tmp_path / f"{i}.h5ad" for i in (1, 2)]
    for one, path in zip(both, paths, strict=True):
        one.write_h5ad(path)
    backed = [ad.read_h5ad(path, backed="r") for path in paths]
    stores = [sc.convert(path, path.with_suffix(".safetensors"))[0] for path in paths]
    for sources in (backed, paths, stores, [lcca.read(path) for path in stores]):
        agrees(sc.run_cca(*sources, 5), truth)
    lazy = pytest.importorskip("anndata.experimental")
    pytest.importorskip("xarray")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agrees(sc.run_cca(*(lazy.read_lazy(path) for path in paths), 5), truth)


def test_genes_are_matched_by_name_and_can_be_chosen():
    first, second = adata(300, 40, 1), adata(200, 40, 2)
    order = np.random.default_rng(0).permutation(40)[:30]
    shared = [gene for gene in first.var_names if gene in set(second.var_names[order])]
    found = sc.run_cca(first, second[:, order], 4)
    assert found.genes == shared
    agrees(found, by_definition(first[:, shared].X, second[:, shared].X, 4))
    some = shared[3:15]
    agrees(
        sc.run_cca(first, second, 4, genes=some, key_added="X_cca"),
        by_definition(first[:, some].X, second[:, some].X, 4),
    )
    assert first.obsm["X_cca"].shape == (300, 4) and second.obsm["X_cca"].shape == (200, 4)
    first.var["highly_variable"] = [i < 9 for i in range(40)]
    second.var["highly_variable"] = [i > 35 for i in range(40)]
    assert sc.run_cca(first, second, 2, genes="highly_variable").genes == [
        f"g{i}" for i in (*range(9), *range(36, 40))
    ]


@pytest.mark.parametrize("dense", [False, True])
def test_genes_can_be_scaled_and_cells_normalized_first(dense):
    first, second = counts(300, 40, 1), counts(200, 40, 2)
    normalized = []
    for rows in (first, second):
        made = np.log1p(rows.toarray().astype(float) * 1e4 / rows.sum(axis=1).A1[:, None])
        deviation = made.std(axis=0, ddof=1)
        normalized.append((made - made.mean(axis=0)) / np.where(deviation > 0, deviation, np.inf))
    rows = [np.asarray(m.toarray(), float) if dense else m.astype(float) for m in (first, second)]
    agrees(sc.run_cca(*rows, 4, normalize_rows="log1p", scale_genes=True), by_definition(*normalized, 4))


def test_layers_and_raw_are_found():
    both = adata(100, 20, 1), adata(90, 20, 2)
    truth = by_definition(both[0].X, both[1].X, 3)
    for one in both:
        one.layers["counts"] = one.X.copy()
        one.raw = one.copy()
        one.X = sp.csr_matrix(one.shape, dtype=np.float32)
    agrees(sc.run_cca(*both, 3, layer="counts"), truth)
    agrees(sc.run_cca(*both, 3, use_raw=True), truth)


def test_cells_without_variation_are_counted_and_have_no_embedding():
    rows = counts(50, 20, 1).tolil()
    rows[7] = 0
    with pytest.warns(lcca.DataWarning, match="1 cells of data set 1"):
        found = sc.run_cca(rows.tocsr(), counts(40, 20, 2), 3)
    assert found.constant == (1, 0) and not found.x[7].any() and np.isfinite(found.x).all()


@pytest.mark.parametrize("scale_genes", [False, True])
def test_genes_that_are_constant_in_one_data_set_are_left_out_as_seurat_does(scale_genes):
    first, second = adata(120, 30, 1), adata(90, 30, 2)
    for one, gene, value in ((first, 4, 0), (second, 7, 0), (second, 9, 3)):
        rows = one.X.tolil()
        rows[:, gene] = value
        one.X = rows.tocsr()
    varies = [np.ptp(one.X.toarray(), axis=0) > 0 for one in (first, second)]
    kept = list(first.var_names[varies[0] & varies[1]])
    assert not {"g4", "g7", "g9"} & set(kept)
    counted = (
        f"{30 - len(kept)} of 30 genes have the same value in all cells of one data set "
        "and are left out of both"
    )
    with pytest.warns(lcca.DataWarning, match=counted):
        found = sc.run_cca(first, second, 3, scale_genes=scale_genes)
    assert found.genes == kept
    expected = sc.run_cca(first[:, kept], second[:, kept], 3, scale_genes=scale_genes)
    agrees(found, (expected.x, expected.y, expected.values))
    with pytest.warns(lcca.DataWarning, match="are left out of both"):
        arrays = sc.run_cca(first.X, second.X.toarray(), 3, scale_genes=scale_genes)
    agrees(arrays, (expected.x, expected.y, expected.values))


@pytest.mark.parametrize("layout", [np.asarray, sp.csr_matrix])
def test_genes_far_from_zero_are_not_taken_as_constant(layout, monkeypatch):
    first, second = adata(120, 30, 1).X.toarray(), adata(90, 30, 2).X.toarray()
    far = np.zeros(30)
    far[4] = 2.0**27
    first[:, 4] += np.arange(120) % 5
    second[:, 4] += np.arange(90) % 7
    whole = sc.run_cca(first, second, 3, scale_genes=True)
    monkeypatch.setattr("lcca.sc._cells._DENSE_NUMBERS", 700)
    monkeypatch.setattr("lcca.sc._cells._SPARSE_ROWS", 25)
    moved = sc.run_cca(layout(first + far), layout(second + far), 3, scale_genes=True)
    agrees(moved, (whole.x, whole.y, whole.values))


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"genes": ["g1", "nowhere"]}, "1 of the genes are not in both data sets, such as 'nowhere'"),
        ({"genes": "highly_variable"}, "needs a column of that name"),
        ({"genes": "other"}, "expected a list of names"),
        ({"genes": ["g1", "g2", "g1"]}, "the gene 'g1' is named twice"),
        ({"layer": "nowhere"}, "there is no layer 'nowhere'"),
        ({"use_raw": True}, "has no `raw`"),
        ({"memory": 100}, "needs about"),
        ({"normalize_rows": "median"}, "normalize_rows"),
        ({"n_components": 0}, "n_components"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(wrong, message):
    with pytest.raises((ValueError, MemoryError), match=message):
        sc.run_cca(adata(30, 10, 1), adata(30, 10, 2), **{"n_components": 2} | wrong)


def test_columns_of_frames_are_matched_by_name():
    pandas = pytest.importorskip("pandas")
    first, second = counts(100, 20, 1).toarray(), counts(80, 20, 2).toarray()
    frames = [pandas.DataFrame(rows, columns=[f"g{i}" for i in range(20)]) for rows in (first, second)]
    agrees(sc.run_cca(frames[0], frames[1].iloc[:, ::-1], 3), by_definition(first, second, 3))
    with pytest.raises(ValueError, match="key_added='X_cca' writes to `obsm`"):
        sc.run_cca(*frames, 3, key_added="X_cca")


def test_arrays_of_different_widths_are_refused():
    with pytest.raises(
        ValueError,
        match="3 and 2 columns and no names to match them by: give both the same genes in the same order",
    ):
        sc.run_cca(np.ones((4, 3)), np.ones((4, 2)))
    with pytest.raises(ValueError, match="share 0 genes"):
        other = adata(30, 10, 2)
        other.var_names = [f"other{i}" for i in range(10)]
        sc.run_cca(adata(30, 10, 1), other)
