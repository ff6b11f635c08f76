"""Two modalities of the same cells, in and out of AnnData and MuData."""

import numpy as np
import pytest
import scipy.sparse as sp

import lcca
from lcca import sc

ad = pytest.importorskip("anndata")
md = pytest.importorskip("mudata")
pd = pytest.importorskip("pandas")
pytestmark = [
    pytest.mark.filterwarnings("ignore::FutureWarning"),
    pytest.mark.filterwarnings("ignore::UserWarning"),
]


def frame(prefix, count):
    return pd.DataFrame(index=[f"{prefix}{i}" for i in range(count)])


def modality(cells, features, prefix, seed):
    state = np.random.default_rng(7).standard_normal((cells, 3))
    random = np.random.default_rng(seed)
    rows = random.poisson(np.exp(state @ random.standard_normal((3, features)) / 2)).astype(np.float32)
    return ad.AnnData(sp.csr_matrix(rows), obs=frame("cell", cells), var=frame(prefix, features))


def test_modalities_of_mudata_are_written_where_people_look(tmp_path):
    rna, atac = modality(300, 30, "gene", 1), modality(300, 20, "peak", 2)
    data = md.MuData({"rna": rna, "atac": atac})
    model = sc.cca(data, mods=("rna", "atac"), n_components=3, normalize_rows="log1p")
    truth = lcca.CCA(3, normalize_rows="log1p").fit(rna.X, atac.X)
    np.testing.assert_allclose(data.uns["cca"]["correlations"], truth.correlations_, atol=1e-9)
    np.testing.assert_allclose(np.std(data["rna"].obsm["X_cca"], axis=0, ddof=1), 1)
    np.testing.assert_allclose(
        data.obsm["X_cca"], (data["rna"].obsm["X_cca"] + data["atac"].obsm["X_cca"]) / 2
    )
    logs = np.log1p(1e4 * rna.X.toarray() / rna.X.toarray().sum(axis=1, keepdims=True))
    np.testing.assert_allclose(
        (logs - logs.mean(axis=0)) @ data["rna"].varm["cca"], data["rna"].obsm["X_cca"], atol=1e-3
    )
    assert data["atac"].varm["cca"].shape == (20, 3)
    facts = data.uns["cca"]
    assert (
        facts["converged"]
        and facts["missing"] < 1e-4
        and '"log1p"' in facts["settings"]
        and list(facts["mods"]) == ["rna", "atac"]
    )
    model.save(tmp_path / "model")
    assert lcca.load(tmp_path / "model").feature_names_in_[0] == "gene0"
    data.write(tmp_path / "data.h5mu")
    np.testing.assert_allclose(
        md.read(tmp_path / "data.h5mu").uns["cca"]["correlations"], truth.correlations_, atol=1e-9
    )


def test_cells_that_one_modality_lacks_are_left_out():
    rna, atac = modality(300, 30, "gene", 1), modality(300, 20, "peak", 2)
    order = np.random.default_rng(0).permutation(300)[:250]
    data = md.MuData({"rna": rna[10:].copy(), "atac": atac[order].copy()})
    sc.cca(data, n_components=2)
    shared = [cell for cell in data.obs_names if cell in set(rna.obs_names[10:]) & set(atac.obs_names[order])]
    truth = lcca.CCA(2).fit(rna[shared].X, atac[shared].X)
    np.testing.assert_allclose(data.uns["cca"]["correlations"], truth.correlations_, atol=1e-9)
    known = np.isfinite(data.obsm["X_cca"]).all(axis=1)
    assert list(data.obs_names[known]) == shared and data.uns["cca"]["n_cells"] == len(shared)
    assert np.isfinite(data["atac"].obsm["X_cca"]).all(axis=1).sum() == len(shared)


def test_types_of_features_and_matrices_beside_are_modalities_too(tmp_path):
    rna, protein = modality(200, 30, "gene", 1), modality(200, 8, "protein", 2)
    data = ad.concat([rna, protein], axis=1)
    data.var["feature_types"] = ["Gene Expression"] * 30 + ["Antibody Capture"] * 8
    sc.cca(data, n_components=2)
    truth = lcca.CCA(2).fit(rna.X, protein.X)
    np.testing.assert_allclose(data.uns["cca"]["correlations"], truth.correlations_, atol=1e-9)
    assert data.varm["cca"].shape == (38, 2) and np.isfinite(data.varm["cca"]).all()
    rna.var["feature_types"] = "Gene Expression"
    rna.obsm["protein"] = pd.DataFrame(protein.X.toarray(), index=rna.obs_names, columns=protein.var_names)
    sc.cca(rna, ("Gene Expression", "protein"), 2, key_added="both")
    np.testing.assert_allclose(rna.uns["both"]["correlations"], truth.correlations_, atol=1e-9)
    assert rna.uns["both"]["weights"]["protein"].shape == (8, 2) and rna.obsm["X_both_y"].shape == (200, 2)
    rna.write_h5ad(tmp_path / "rna.h5ad")


def test_backed_and_lazy_data_go_through_shards(client, tmp_path):
    rna, atac = modality(300, 30, "gene", 1), modality(300, 20, "peak", 2)
    truth = lcca.CCA(2).fit(rna.X, atac.X)
    path = tmp_path / "data.h5mu"
    md.MuData({"rna": rna, "atac": atac}).write(path)
    for workers in (None, client):
        data = md.read(path, backed=True)
        sc.cca(data, ("rna", "atac"), 2, client=workers)
        np.testing.assert_allclose(data.uns["cca"]["correlations"], truth.correlations_, atol=1e-9)
        np.testing.assert_allclose(
            np.abs(data["rna"].obsm["X_cca"]), np.abs(truth.transform(rna.X)) * np.sqrt(299 / 300), atol=1e-6
        )
    lazy = pytest.importorskip("anndata.experimental")
    pytest.importorskip("xarray")
    both = ad.concat([rna, atac], axis=1)
    both.var["feature_types"] = ["Gene Expression"] * 30 + ["Peaks"] * 20
    both.write_h5ad(tmp_path / "both.h5ad")
    for workers in (None, client):
        data = lazy.read_lazy(tmp_path / "both.h5ad")
        model = sc.cca(data, ("Gene Expression", "Peaks"), 2, client=workers)
        np.testing.assert_allclose(model.correlations_, truth.correlations_, atol=1e-9)


def test_a_selection_of_a_backed_file_is_not_taken_for_the_whole_file(client, tmp_path):
    both = ad.concat([modality(60, 6, "gene", 1), modality(60, 5, "peak", 2)], axis=1)
    both.var["feature_types"] = ["Gene Expression"] * 6 + ["Peaks"] * 5
    both.write_h5ad(tmp_path / "both.h5ad")
    backed = ad.read_h5ad(tmp_path / "both.h5ad", backed="r")
    with pytest.raises(ValueError, match="a selection of backed data is not in the file"):
        sc.cca(backed[20:], ("Gene Expression", "Peaks"), 1, client=client)


def test_raw_values_and_matrices_beside_know_where_they_belong():
    rna, atac = modality(60, 6, "gene", 1), modality(60, 5, "peak", 2)
    for one in (rna, atac):
        one.raw = one.copy()
    data = md.MuData({"rna": rna, "atac": atac})
    sc.cca(data, ("rna", "atac"), 2, use_raw=True)
    np.testing.assert_allclose(
        data.obsm["X_cca"], (data["rna"].obsm["X_cca"] + data["atac"].obsm["X_cca"]) / 2
    )
    assert data.uns["cca"]["weights"]["rna"].shape == (6, 2)
    for parameters in ({"ridge": 1.0}, {"metric": "pls"}):
        sc.cca(data, ("rna", "atac"), 2, **parameters)
        np.testing.assert_allclose(np.std(data["atac"].obsm["X_cca"], axis=0, ddof=1), 1)
        centered = rna.X.toarray() - rna.X.toarray().mean(axis=0)
        np.testing.assert_allclose(centered @ data["rna"].varm["cca"], data["rna"].obsm["X_cca"], atol=1e-5)
    rna.obsm["a"], rna.obsm["b"] = rna.X.toarray(), atac.X.toarray()
    with pytest.raises(ValueError, match="both modalities are in `obsm`"):
        sc.cca(rna, ("a", "b"), 1, layer="counts")


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        ({"mods": ("rna", "nowhere")}, "there is no modality 'nowhere'"),
        ({"mods": ("rna", "rna")}, "expected the names of two modalities"),
        ({"layer": "nowhere"}, "there is no layer 'nowhere'"),
        ({"use_raw": True}, "has no `raw`"),
    ],
)
def test_what_makes_no_sense_is_one_sentence(wrong, message):
    data = md.MuData({"rna": modality(30, 6, "gene", 1), "atac": modality(30, 5, "peak", 2)})
    with pytest.raises(ValueError, match=message):
        sc.cca(data, **wrong)
    with pytest.raises(TypeError, match="expected MuData or AnnData, got ndarray"):
        sc.cca(np.ones((3, 3)))
