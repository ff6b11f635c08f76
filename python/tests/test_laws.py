"""The laws of pairs, run on pairs that are written in Python: one in this process, and one on a cluster."""

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import shared_factors, sparse_pair

from lcca import CCA, _lcca, _views
from lcca._pair import RemotePair

if not hasattr(_lcca, "_check_laws"):
    pytest.skip("the module was built without the feature `laws`", allow_module_level=True)

ROWS = 60


class LocalPair(RemotePair):
    """Shards in this process, answered for by the engine's `Pieces`."""

    capabilities = ("structure", "grams", "joint_grams", "triangles", "blocks", "samples")

    def __init__(self, shards):
        self._shards, self._pieces = shards, _lcca.Pieces(shards, _lcca.Pool(2))
        shapes = [shard.shape for shard in shards]
        self.shape = (sum(rows for rows, _, _ in shapes), *shapes[0][1:])
        self.one_hot = tuple(all(shard.one_hot[side] for shard in shards) for side in (0, 1))
        self.dense = tuple(any(shard.dense[side] for shard in shards) for side in (0, 1))

    def moments(self, side):
        return self._pieces.moments(side)

    def products(self, sources, requested):
        return self._pieces.products(sources, requested)

    def reduced(self, x_columns, y_columns):
        columns = [None if kept is None else kept.tolist() for kept in (x_columns, y_columns)]
        smaller = [shard.reduced(*columns, 1) for shard in self._shards]
        if any(columns):
            return LocalPair(smaller)
        return (
            LocalPair([a or b for a, b in zip(smaller, self._shards, strict=True)]) if any(smaller) else None
        )

    def gram(self, side, limit):
        return self._pieces.gram(side, limit)

    def dense_gram(self, means, limit):
        return self._pieces.dense_gram(means, limit)

    def gram_sample(self):
        return self._pieces.gram_sample(len(self._shards))

    def joint_gram(self, limit):
        return self._pieces.joint_gram(limit)

    def triangle(self, limit):
        return self._pieces.triangle(limit)

    def block_gram(self, columns, means, limit):
        return self._pieces.block_gram(columns, means, limit)

    def sample(self, rows):
        return self._pieces.sample(rows)


def one_hot(cols, seed):
    random = np.random.default_rng(seed)
    return sp.csr_array(
        (np.ones(ROWS), (np.arange(ROWS), random.integers(0, cols, ROWS))), shape=(ROWS, cols)
    )


def weighted_views():
    """Sparse views of real numbers, with empty columns, and weights that are whole numbers."""
    x, y = sparse_pair(ROWS, 20, 30)
    x.data = np.random.default_rng(3).standard_normal(x.nnz)
    return sp.hstack([x, sp.csr_array((ROWS, 8))], format="csr"), y, np.arange(ROWS) % 3


DATA = {
    "sparse": lambda: (*sparse_pair(ROWS, 20, 30), None),
    "one-hot": lambda: (one_hot(7, 0), one_hot(5, 1), None),
    "one-hot and dense": lambda: (one_hot(7, 0), np.random.default_rng(2).standard_normal((ROWS, 4)), None),
    "dense": lambda: (*shared_factors(ROWS, 6, 5, 2), None),
    "weighted": weighted_views,
}


def dense_views(x, y, weights):
    """The dense views that the pair stands for: weighted rows are repeated."""
    times = np.ones(ROWS, dtype=int) if weights is None else weights
    return [
        np.repeat(view.toarray() if sp.issparse(view) else view, times, axis=0).astype(float)
        for view in (x, y)
    ]


def shards(x, y, weights):
    """Three unequal shards of the rows."""
    for first, last in ((0, 11), (11, 40), (40, ROWS)):
        yield x[first:last], y[first:last], None if weights is None else weights[first:last].astype(float)


def local_pair(x, y, weights, kind=LocalPair):
    parts = [
        _lcca.Rows(_views.from_arrays(a, "X", 1), _views.from_arrays(b, "y", 1), w)
        for a, b, w in shards(x, y, weights)
    ]
    return kind(parts)


@pytest.mark.parametrize("name", DATA)
@pytest.mark.parametrize("seed", [0, 7])
def test_a_pair_in_this_process_keeps_the_laws(name, seed):
    data = DATA[name]()
    _lcca._check_laws(local_pair(*data), *dense_views(*data), seed)


@pytest.mark.parametrize("name", DATA)
def test_a_pair_on_a_cluster_keeps_the_laws(client, name):
    dask = pytest.importorskip("lcca.dask")
    data = DATA[name]()
    parts = [part[: 2 if part[2] is None else 3] for part in shards(*data)]
    pair = dask.from_delayed(client, parts)
    _lcca._check_laws(pair, *dense_views(*data), 3)
    verbs = {p["verb"] for p in pair.passes_}
    assert {
        "products", "moments", "gram", "dense_gram", "gram_sample", "triangle", "block_gram", "sample"
    } <= verbs
    assert ("joint_gram" in verbs) == ("dense" not in name)


def test_means_are_subtracted_from_dense_gram_matrices():
    data = DATA["weighted"]()
    x, y = dense_views(*data)
    random = np.random.default_rng(0)
    means = random.standard_normal(x.shape[1]), random.standard_normal(y.shape[1])
    both = np.hstack([x - means[0], y - means[1]])
    gram = local_pair(*data).dense_gram(means, 1 << 30)
    np.testing.assert_allclose(np.tril(gram), np.tril(both.T @ both), atol=1e-9)


class OnlyPasses(LocalPair):
    capabilities = ()

    def gram(self, side, limit):
        raise AssertionError("a capability that is not offered was used")

    reduced = dense_gram = gram_sample = joint_gram = triangle = gram


def test_a_pair_of_three_methods_is_enough():
    data = sparse_pair(2000, 60, 50)
    halves = [(data[0][:900], data[1][:900]), (data[0][900:], data[1][900:])]
    pair = OnlyPasses([_lcca.Rows(*(_views.from_arrays(v, "X", 1) for v in half), None) for half in halves])
    settings = {"n_components": 3, "method": "lobpcg", "tol": 1e-9}
    np.testing.assert_allclose(
        CCA(**settings).fit(pair).objective_, CCA(**settings).fit(*data).objective_, atol=1e-7
    )
    assert abs(CCA(3, tol=1e-9).fit(pair).total_ - CCA(3, tol=1e-9).fit(*data).total_) < 1e-6
    with pytest.raises(ValueError, match="offer no triangular factor"):
        CCA(3, method="exact").fit(pair)


# Broken pairs


class LosesAProduct(LocalPair):
    def products(self, sources, requested):
        return super().products(sources, requested)[:-1]


class ForgetsAShard(LocalPair):
    def products(self, sources, requested):
        return LocalPair(self._shards[1:]).products(sources, requested)


class SwapsProducts(LocalPair):
    def products(self, sources, requested):
        return super().products(
            sources, [(target, 1 - source if all(sources) else source) for target, source in requested]
        )


class MiscountsMoments(LocalPair):
    def moments(self, side):
        weight, total, square, count, _ = super().moments(side)
        return weight, total, square * 1.01, count


class ShortMoments(LocalPair):
    def moments(self, side):
        weight, total, square, count, _ = super().moments(side)
        return weight, total[1:], square, count


class WrongGram(LocalPair):
    def gram(self, side, limit):
        return LocalPair(self._shards[1:]).gram(side, limit)


class WrongDenseGram(LocalPair):
    def dense_gram(self, means, limit):
        return 2 * super().dense_gram(means, limit)


class WrongJointGram(LocalPair):
    def joint_gram(self, limit):
        return LocalPair(self._shards[1:]).joint_gram(limit)


class WrongTriangle(LocalPair):
    def triangle(self, limit):
        return LocalPair(self._shards[1:]).triangle(limit)


class WrongBlocks(LocalPair):
    def block_gram(self, columns, means, limit):
        return LocalPair(self._shards[1:]).block_gram(columns, means, limit)


class ShortBlocks(LocalPair):
    def block_gram(self, columns, means, limit):
        return super().block_gram(columns, means, limit)[1:]


class WrongSample(LocalPair):
    def sample(self, rows):
        (offsets, columns, values), y, weights = super().sample(rows)
        return (offsets, columns, np.zeros_like(values)), y, weights


class ClaimsOneHot(LocalPair):
    def __init__(self, parts):
        super().__init__(parts)
        self.one_hot = (True, True)


class ReducesWrongly(LocalPair):
    def reduced(self, x_columns, y_columns):
        return LocalPair(super().reduced(x_columns, y_columns)._shards[1:])


class RaisesInGram(LocalPair):
    def gram(self, side, limit):
        raise LookupError("the Gram matrix is lost")


class RaisesInEstimate(LocalPair):
    def gram_sample(self):
        raise LookupError("the sample is lost")


class RaisesInTriangle(LocalPair):
    def triangle(self, limit):
        raise MemoryError("no memory at all")


@pytest.mark.parametrize(
    ("kind", "words"),
    [
        (LosesAProduct, "a pass: .*returned 3 products, expected 4"),
        (ForgetsAShard, "the product of X into X"),
        (SwapsProducts, "product|shape"),
        (MiscountsMoments, "column 0 of X has moments"),
        (ShortMoments, "returned 27 moments, expected 28"),
        (WrongGram, "wrong Gram matrix of X"),
        (WrongDenseGram, "wrong dense Gram matrix"),
        (WrongJointGram, "product of X into X"),
        (WrongTriangle, "the triangle is no factor"),
        (WrongBlocks, "the Gram matrix of columns"),
        (ShortBlocks, "numbers of a triangle, expected"),
        (WrongSample, "a sample of all rows has other entries in X"),
        (ClaimsOneHot, "X is called one-hot and is not"),
        (ReducesWrongly, "the reduced pair has other products"),
        (RaisesInGram, "the Gram matrix of X: LookupError: the Gram matrix is lost"),
        (RaisesInEstimate, "the estimate: LookupError: the sample is lost"),
        (RaisesInTriangle, "the triangular factor: MemoryError: no memory at all"),
    ],
)
def test_a_broken_pair_breaks_a_law(kind, words):
    data = DATA["weighted"]()
    _lcca._check_laws(local_pair(*data), *dense_views(*data), 2)
    with pytest.raises(AssertionError, match=words):
        _lcca._check_laws(local_pair(*data, kind), *dense_views(*data), 2)


def test_an_unknown_capability_is_refused():
    class Boastful(LocalPair):
        capabilities = ("grams", "miracles")

    data = DATA["sparse"]()
    with pytest.raises(ValueError, match='capability "miracles", expected "structure", "grams"'):
        CCA(2).fit(local_pair(*data, Boastful))


def test_what_a_pair_raises_comes_out_of_a_fit_as_it_went_in():
    error = LookupError("the Gram matrix is lost")

    class Raises(LocalPair):
        def gram(self, side, limit):
            raise error

    data = DATA["sparse"]()
    with pytest.raises(LookupError) as caught:
        CCA(2, method="als").fit(local_pair(*data, Raises))
    assert caught.value is error
