"""Fits and products on a cluster equal those on one machine."""

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import ROWS, SLOW, X_COLS, Y_COLS, edges, loaders
from conftest import exact_correlations, shared_factors

import lcca

da = pytest.importorskip("dask.array")
distributed = pytest.importorskip("distributed")
import lcca.dask  # noqa: E402


@pytest.mark.parametrize("count", [1, 2, 5])
def test_products_are_those_of_scipy_however_the_rows_are_cut(client, views, count):
    x, y = views
    pair = lcca.dask.from_loaders(client, loaders(views, count))
    assert pair.shape == (ROWS, X_COLS, Y_COLS)
    random = np.random.default_rng(1)
    wx, wy = random.standard_normal((X_COLS, 9)), random.standard_normal((Y_COLS, 3))
    shift = random.standard_normal(9)
    requested = [(0, 0), (1, 0), (0, 1), (1, 1)]
    products = pair.products(((wx, shift), (wy, None)), requested)
    zx, zy = x @ wx - shift, y @ wy
    for product, truth in zip(products, [x.T @ zx, y.T @ zx, x.T @ zy, y.T @ zy], strict=True):
        np.testing.assert_allclose(product, truth, rtol=0, atol=1e-9 * abs(truth).max())
    for side, view in enumerate(views):
        weight, total, square, stored, _ = pair.moments(side)
        assert weight == ROWS
        np.testing.assert_allclose(total, np.asarray(view.sum(axis=0)).ravel())
        np.testing.assert_allclose(square, np.asarray(view.multiply(view).sum(axis=0)).ravel())
        np.testing.assert_array_equal(stored, np.bincount(view.tocsr().indices, minlength=view.shape[1]))
        starts, rows, values = pair.gram(side, 1 << 30)
        lower = sp.csc_array((values, rows, starts), shape=(view.shape[1],) * 2)
        assert abs(lower - sp.tril(view.T @ view)).max() < 1e-9
    xx, xy, yy = (sp.csr_array((v, c, o)) for o, c, v in pair.joint_gram(1 << 30))
    for block, truth in ((xx, x.T @ x), (xy, x.T @ y), (yy, y.T @ y)):
        assert abs(block - truth).max() < 1e-9
    both = sp.hstack([np.ones((ROWS, 1)), x, y]).toarray()
    dense = pair.dense_gram(None, 1 << 30)
    np.testing.assert_allclose(np.tril(dense), np.tril(both[:, 1:].T @ both[:, 1:]), atol=1e-8)
    factor = pair.triangle(1 << 30)
    np.testing.assert_allclose(factor.T @ factor, both.T @ both, atol=1e-7)


@pytest.mark.parametrize(
    "options",
    [
        {},
        {"structure": False, "center": False},
        {"method": "gram"},
        {"method": "exact"},
        {"method": "als", "t1": 5},
        {"method": "als", "t1": 5, "inner": "cg"},
        {"method": "d-cca", "t1": 5},
        {"method": "l-cca", "t1": 2, "t2": 5, "k_pc": 20},
        {"method": "rp-cca", "k_rpcca": 50},
        {"method": "shift-invert"},
    ],
    ids=str,
)
@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_method_finds_what_one_machine_finds_in_as_many_passes(client, views, options):
    settings = {"n_components": 5, "ridge": 0.01} | options
    one = lcca.CCA(**settings).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    many = lcca.CCA(**settings).fit(pair)
    assert (many.chosen_, many.n_passes_, many.n_gram_passes_) == (
        one.chosen_, one.n_passes_, one.n_gram_passes_
    )
    np.testing.assert_allclose(many.objective_, one.objective_, rtol=0, atol=1e-9)
    assert abs(many.total_ - one.total_) < 1e-9
    assert many.n_samples_ == ROWS


def test_structure_is_found_through_shards(client):
    """One-hot views with many equal rows and many empty columns: solved away, merged, left out."""
    random = np.random.default_rng(0)
    rows, topic = 140_000, random.integers(0, 6, 140_000)
    columns = [(topic * 9 + random.integers(0, 5, rows)) * 3, topic * 7 + random.integers(0, 4, rows)]
    views = [sp.csr_array((np.ones(rows), (np.arange(rows), c)), shape=(rows, 200)) for c in columns]
    one = lcca.CCA(4, method="lobpcg").fit(*views)
    shards = [tuple(view[a:b] for view in views) for a, b in ((0, 70_000), (70_000, 140_000))]
    many = lcca.CCA(4, method="lobpcg").fit(lcca.dask.from_delayed(client, shards))
    kinds = ["view-eliminated", "columns-renumbered", "gram-matrices-formed"]
    for model in (one, many):
        assert set(kinds) <= {decision["decision"] for decision in model.decisions_}
    assert (many.n_passes_, many.n_gram_passes_) == (one.n_passes_, one.n_gram_passes_)
    assert abs(many.total_ - one.total_) < 1e-9
    np.testing.assert_array_equal(many.x_weights_ == 0, one.x_weights_ == 0)


def test_weights_of_rows_count(client, views):
    weight = np.random.default_rng(2).integers(0, 3, ROWS).astype(float)
    one = lcca.CCA(3).fit(*views, sample_weight=weight)
    rows = edges(3)
    shards = [
        (*pair, lambda a=a, b=b: weight[a:b])
        for pair, a, b in zip(loaders(views, 3), rows, rows[1:], strict=False)
    ]
    many = lcca.CCA(3).fit(lcca.dask.from_loaders(client, shards))
    np.testing.assert_allclose(many.objective_, one.objective_, rtol=0, atol=1e-9)


def test_dense_views_equal_qr_and_svd(client):
    views = shared_factors(300, 8, 6, 3)
    pair = lcca.dask.from_delayed(
        client, [(views[0][:100], views[1][:100]), (views[0][100:], views[1][100:])]
    )
    np.testing.assert_allclose(lcca.CCA(3).fit(pair).correlations_, exact_correlations(*views)[:3], atol=1e-9)


def test_scores_stay_on_the_workers_until_they_are_computed(client, views):
    one = lcca.CCA(4).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    variables = one.transform(pair)
    for scores, truth in zip(variables, one.transform(*views), strict=True):
        assert isinstance(scores, da.Array) and scores.shape == (ROWS, 4) and scores.numblocks[0] == 3
        np.testing.assert_allclose(scores.compute(), truth, atol=1e-10)
    assert abs(one.score(pair) - one.score(*views)) < 1e-12
    np.testing.assert_allclose(one.correlations(pair), one.correlations(*views), atol=1e-12)


def test_predictions_and_tests_work_on_a_cluster_and_cross_validation_says_that_it_does_not(client, views):
    x, y = views
    one = lcca.CCA(3).fit(x[:2000], y[:2000])
    pair = lcca.dask.from_loaders(client, loaders((x[2000:], y[2000:]), 3))
    predicted = one.predict(pair)
    assert isinstance(predicted, da.Array)
    np.testing.assert_allclose(predicted.compute(), one.predict(x[2000:]), atol=1e-10)
    assert one.predict(pair, columns=[4, 7]).shape == (2000, 2)
    ours, theirs = (
        lcca.permutation_test(one, pair, n=19),
        lcca.permutation_test(one, x[2000:], y[2000:], n=19),
    )
    np.testing.assert_allclose(ours.correlations, theirs.correlations, atol=1e-12)
    assert ours.p_values.tolist() == theirs.p_values.tolist()
    with pytest.raises(
        ValueError, match="cross-validation needs rows in this process.*choose the ridge on a sample"
    ):
        lcca.CCACV(3).fit(pair)


def test_panels_reach_many_workers_and_sums_come_back(views):
    with distributed.LocalCluster(
        n_workers=6, threads_per_worker=1, host="127.0.0.1", dashboard_address=":0", memory_limit="2GB"
    ) as many, distributed.Client(many) as client:
        pair = lcca.dask.from_loaders(client, loaders(views, 9))
        model = lcca.CCA(**SLOW).fit(pair)
        assert all(p["workers"] == 6 for p in pair.passes_)
    one = lcca.CCA(**SLOW).fit(*views)
    assert abs(model.total_ - one.total_) < 1e-9 and model.n_passes_ == one.n_passes_


def test_a_stopped_fit_goes_on_where_it_was(client, views, tmp_path):
    truth = lcca.CCA(**SLOW).fit(*views)
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    state = tmp_path / "state"

    def stop(row):
        if row["iteration"] == 5:
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        lcca.CCA(**SLOW, callback=stop, resume=state).fit(pair)
    assert state.exists()
    # Other shards, other sums: the same data all the same.
    pair = lcca.dask.from_loaders(client, loaders(views, 5))
    seen = []
    model = lcca.CCA(**SLOW, callback=lambda row: seen.append(row["iteration"]), resume=state).fit(pair)
    assert seen[0] >= 5 and abs(model.total_ - truth.total_) < 1e-10 * truth.total_
    assert len(model.trace_) >= seen[-1] and not state.exists()


@pytest.mark.parametrize(("name", "options"), [("brown", {"center": False}), ("debian400k", {"ridge": 0.01})])
def test_real_data_end_where_one_machine_ends(client, data, name, options):
    if not (data / name).exists():
        pytest.skip(f"{name} is not prepared")
    views = [sp.load_npz(data / name / f"{view}.npz").tocsr() for view in "xy"]
    one = lcca.CCA(20, **options).fit(*views)
    folder, rows = data / name, edges(3, views[0].shape[0])

    def load(view, a, b):
        return lambda: sp.load_npz(folder / f"{view}.npz").tocsr()[a:b]

    shards = [(load("x", a, b), load("y", a, b)) for a, b in zip(rows, rows[1:], strict=False)]
    many = lcca.CCA(20, **options).fit(lcca.dask.from_loaders(client, shards))
    assert (many.n_passes_, many.n_gram_passes_) == (one.n_passes_, one.n_gram_passes_)
    assert abs(many.total_ - one.total_) < 1e-9 * one.total_


def test_a_fit_is_certified_on_the_workers(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    model = lcca.CCA(3, ridge=0.01, scale=False).fit(pair)
    certificate, local = model.certify(pair), lcca.CCA(3, ridge=0.01, scale=False).fit(*views).certify(*views)
    assert (
        certificate.kind == "rigorous"
        and certificate.search == local.search
        and model.certificate_ is certificate
    )
    assert certificate.gain <= 1e-4 * model.objective_.sum() and certificate.bounds.max() < 0.1
    with pytest.raises(ValueError, match="brings its own y"):
        model.certify(pair, views[1])
