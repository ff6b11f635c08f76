"""What travels in a round, and what a round costs."""

import numpy as np
import pytest
import scipy.sparse as sp
from clusters import X_COLS, Y_COLS, loaders, workers

import lcca

pytest.importorskip("distributed")
import lcca.dask  # noqa: E402


def test_single_precision_on_the_wire_costs_the_last_digits_and_halves_the_bytes(client, views):
    settings = {"n_components": 5, "method": "lobpcg", "structure": False}
    passes = {}
    for transfer in ("float64", "float32"):
        pair = lcca.dask.from_loaders(client, loaders(views, 2), transfer=transfer)
        passes[transfer] = (
            lcca.CCA(**settings).fit(pair),
            [p for p in pair.passes_ if p["verb"] == "products"][0],
        )
    (full, wide), (half, narrow) = passes["float64"], passes["float32"]
    assert narrow["bytes_in"] * 2 == wide["bytes_in"] and narrow["bytes_out"] < 0.51 * wide["bytes_out"]
    assert 0 < abs(half.total_ - full.total_) < 1e-6 * full.total_


def test_products_travel_without_columns_that_no_shard_touches(client):
    random = np.random.default_rng(0)
    cols, places = 1000, [np.arange(0, 100), np.arange(50, 140), np.arange(900, 1000)]
    shards = []
    for there in places:
        views = []
        for _ in "xy":
            view = sp.random_array((300, len(there)), density=0.1, format="coo", rng=random)
            views.append(sp.csr_array((view.data, (view.row, there[view.col])), shape=(300, cols)))
        shards.append(tuple(views))
    x, y = (sp.vstack(views, format="csr") for views in zip(*shards, strict=True))
    w = random.standard_normal((cols, 4))
    pair = lcca.dask.from_delayed(client, shards)
    products = pair.products(((w, None), None), [(0, 0), (1, 0)])
    for product, view in zip(products, (x, y), strict=True):
        np.testing.assert_allclose(product, view.T @ (x @ w), atol=1e-10)
    assert pair.passes_[-1]["bytes_in"] < 0.6 * 2 * pair.passes_[-1]["bytes_out"]
    model = lcca.CCA(3, method="lobpcg", structure=False, tol=1e-9).fit(pair)
    assert abs(model.total_ - lcca.CCA(3, method="lobpcg", structure=False, tol=1e-9).fit(x, y).total_) < 1e-9


@pytest.mark.parametrize("small", [0, 1 << 30])
@pytest.mark.parametrize("transfer", ["float64", "float32"])
def test_products_are_added_up_on_the_way_or_at_home(client, views, monkeypatch, transfer, small):
    from lcca.dask import _round

    monkeypatch.setattr(_round, "_SMALL", small)
    pair = lcca.dask.from_loaders(client, loaders(views, 5), transfer=transfer)
    random = np.random.default_rng(1)
    wx, wy = random.standard_normal((X_COLS, 9)), random.standard_normal((Y_COLS, 9))
    (x, y), digits = views, 1e-9 if transfer == "float64" else 1e-6
    for _ in range(2):
        products = pair.products(((wx, None), (wy, None)), [(0, 0), (1, 0), (0, 1), (1, 1)])
        for product, truth in zip(
            products, [x.T @ (x @ wx), y.T @ (x @ wx), x.T @ (y @ wy), y.T @ (y @ wy)], strict=True
        ):
            np.testing.assert_allclose(product, truth, rtol=0, atol=digits * abs(truth).max())


@pytest.mark.filterwarnings("ignore::sklearn.exceptions.ConvergenceWarning")
def test_every_round_is_accounted_for_to_the_byte(client, views, monkeypatch):
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    panels, products = [], []
    multiply = pair.products

    def spy(sources, requested):
        panels.append(
            sum(array.nbytes for source in sources if source for array in source if array is not None)
        )
        products.append(multiply(sources, requested))
        return products[-1]

    monkeypatch.setattr(pair, "products", spy)
    lcca.CCA(3, method="d-cca", t1=2).fit(pair)
    rounds = [p for p in pair.passes_ if p["verb"] == "products"]
    assert (
        len(rounds) >= 4
        and all(p["workers"] == 2 and p["shards"] == 3 and p["attempts"] == 1 for p in rounds)
    )
    # Both workers get all panels, and both answer with whole products: their rows touch every column.
    assert [p["bytes_out"] for p in rounds] == [2 * nbytes for nbytes in panels]
    assert [p["bytes_in"] for p in rounds] == [
        2 * sum(product.nbytes for product in some) for some in products
    ]
    assert all(p["seconds"] >= p["kernel"] > 0 for p in rounds)


def test_the_trace_says_what_was_moved_and_how_long_it_was_waited_for(client, views):
    pair = lcca.dask.from_loaders(client, loaders(views, 3))
    trace = lcca.CCA(3, method="lobpcg", structure=False).fit(pair).trace_
    assert all(
        0 < a["moved"] < b["moved"] and 0 < a["waiting"] < b["waiting"]
        for a, b in zip(trace, trace[1:], strict=False)
    )
    assert trace[-1]["moved"] < sum(p["bytes_out"] + p["bytes_in"] for p in pair.passes_)
