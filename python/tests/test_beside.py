"""Groups, weights and covariates belong to rows of X: they follow them when rows are left
out or have other places."""

import warnings

import numpy as np
import pytest
from sklearn.model_selection import GroupKFold

import lcca
from lcca import CCA, CCACV, DataWarning

pytestmark = pytest.mark.filterwarnings("ignore:these correlations may be inflated")

N = 120


@pytest.fixture
def data():
    """Two views with gaps, what belongs to their rows, and which rows are whole.
    Groups are of all sizes, and not in order."""
    random = np.random.default_rng(5)
    shared = random.standard_normal((N, 2))
    X, Y = (
        shared @ random.standard_normal((2, width)) + random.standard_normal((N, width)) for width in (5, 4)
    )
    groups, weights, Z = random.integers(0, 15, N), random.random(N) + 0.5, random.standard_normal((N, 2))
    X[random.integers(0, N, 9), 1] = np.nan
    Y[random.integers(0, N, 9), 2] = np.nan
    return X, Y, groups, weights, Z, ~(np.isnan(X).any(axis=1) | np.isnan(Y).any(axis=1))



@pytest.mark.parametrize("cv", [None, GroupKFold(3)])
def test_folds_follow_the_rows_that_are_left(data, cv):
    X, Y, groups, weights, Z, whole = data
    model = CCACV(1, ridges=[0.01, 1.0], folds=3, cv=cv, missing="drop")
    truth = model.fit(
        X[whole], Y[whole], sample_weight=weights[whole], groups=groups[whole], covariates=Z[whole]
    )
    truth, shifted = (truth.cv_scores_, truth.x_weights_), np.roll(groups, 1)
    with pytest.warns(DataWarning, match="left out"):
        got = model.fit(X, Y, sample_weight=weights, groups=groups, covariates=Z)
    assert np.array_equal(got.cv_scores_, truth[0]) and np.array_equal(got.x_weights_, truth[1])
    with pytest.warns(DataWarning, match="left out"):
        other = model.fit(X, Y, sample_weight=weights, groups=shifted, covariates=Z)
    assert not np.array_equal(other.cv_scores_, truth[0])


@pytest.mark.parametrize("whole_groups", [False, True])
@pytest.mark.parametrize("fitted_with", [False, True])
def test_permutations_follow_the_rows_that_are_left(data, whole_groups, fitted_with):
    X, Y, groups, _, Z, whole = data
    random = np.random.default_rng(0)
    x, y, z = (
        random.standard_normal((60, 5)), random.standard_normal((60, 4)), random.standard_normal((60, 2))
    )
    model = CCA(1, missing="drop").fit(x, y, covariates=z if fitted_with else None)
    if whole_groups:
        groups = np.arange(N) // 2
        groups[~whole] = 1000 + np.flatnonzero(~whole)  # so that groups of two stay as they are, or are gone
    test = {"n": 49, "whole": whole_groups}
    truth = lcca.permutation_test(
        model, X[whole], Y[whole], groups=groups[whole], covariates=Z[whole], **test
    )
    with pytest.warns(DataWarning, match="left out"):
        got = lcca.permutation_test(model, X, Y, groups=groups, covariates=Z, **test)
    assert (
        np.array_equal(got.correlations, truth.correlations)
        and np.array_equal(got.p_values, truth.p_values)
    )


def test_resamples_follow_the_rows_that_are_left(data):
    X, Y, groups, weights, Z, whole = data
    with pytest.warns(DataWarning, match="left out"):
        model = CCA(1, missing="drop").fit(X, Y, sample_weight=weights, covariates=Z)
    truth = lcca.bootstrap(
        model, X[whole], Y[whole], n=9, groups=groups[whole], sample_weight=weights[whole],
        covariates=Z[whole],
    )
    with pytest.warns(DataWarning, match="left out"):
        got = lcca.bootstrap(model, X, Y, n=9, groups=groups, sample_weight=weights, covariates=Z)
    assert (
        np.array_equal(got.resampled, truth.resampled)
        and np.array_equal(got.x_weights_error, truth.x_weights_error)
    )


@pytest.mark.parametrize("parameters", [{"n_components": "auto"}, {"n_components": 1, "hold_out": 0.3}])
def test_groups_are_held_out_together(data, parameters):
    X, Y, groups, _, _, whole = data
    for model in (
        CCA(missing="drop", **parameters),
        CCACV(ridges=[0.1], folds=2, missing="drop", **parameters),
    ):
        truth = model.fit(X[whole], Y[whole], groups=groups[whole]).held_out_correlations_
        with pytest.warns(DataWarning, match="left out"):
            assert np.array_equal(model.fit(X, Y, groups=groups).held_out_correlations_, truth)
        alone = model.fit(X[whole], Y[whole]).held_out_correlations_
        assert not np.array_equal(alone[:1], truth[:1])
    # Every row is there four times: what was learned of its copies helps with a held-out row,
    # unless they are kept together.
    together, apart = [], []
    for seed in range(8):
        random = np.random.default_rng(seed)
        x, y = (np.repeat(random.standard_normal((40, 12)), 4, axis=0) for _ in "xy")
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", lcca.ResultWarning)
            together.append(
                CCA(**parameters).fit(x, y, groups=np.repeat(np.arange(40), 4)).held_out_correlations_[0]
            )
            apart.append(CCA(**parameters).fit(x, y).held_out_correlations_[0])
    assert np.mean(together) < 0.3 < 0.5 < np.mean(apart)


def test_groups_that_nothing_uses_are_refused(data):
    X, Y, groups, _, _, whole = data
    with pytest.raises(ValueError, match='expected hold_out or n_components="auto"'):
        CCA(1).fit(X[whole], Y[whole], groups=groups[whole])


def test_labels_of_any_kind_are_groups_and_missing_ones_are_refused(data):
    X, Y, groups, _, _, whole = data
    X, Y, groups = X[whole], Y[whole], groups[whole]
    model = CCACV(1, ridges=[0.1], folds=2)
    truth = model.fit(X, Y, groups=groups).cv_scores_
    mixed = np.array([int(label) if label % 2 else str(label) for label in groups], dtype=object)
    for labels in (groups.astype(str), groups.astype(float), mixed, list(mixed), np.ma.MaskedArray(groups)):
        assert np.array_equal(model.fit(X, Y, groups=labels).cv_scores_, truth)
    one_and_the_other = np.array([1 if row % 2 else "1" for row in range(len(X))], dtype=object)
    assert len(np.unique(lcca._groups.codes(one_and_the_other, lcca._pairing.View("X", X, None, X)))) == 2
    for gap in (np.nan, None):
        labels = groups.astype(object)
        labels[3] = gap
        with pytest.raises(ValueError, match="missing labels"):
            model.fit(X, Y, groups=labels)
    with pytest.raises(ValueError, match="missing labels"):
        model.fit(X, Y, groups=np.ma.MaskedArray(groups, mask=groups == groups[0]))


class TestTables:
    """Frames and series with names of rows."""

    @pytest.fixture
    def frames(self, data):
        pandas = pytest.importorskip("pandas")
        X, Y, groups, weights, Z, _ = data
        names = [f"mouse {i}" for i in range(N)]
        x, y, z = (
            pandas.DataFrame(view, index=names).rename(columns=lambda column: f"c{column}")
            for view in (X, Y, Z)
        )
        return x, y, pandas.Series(groups, index=names), pandas.Series(weights, index=names), z

    def test_rows_in_another_order_keep_what_belongs_to_them(self, data, frames):
        X, Y, groups, weights, Z, whole = data
        x, y, g, w, z = frames
        model = CCACV(1, ridges=[0.01, 1.0], folds=3, missing="drop")
        truth = model.fit(
            X[whole], Y[whole], sample_weight=weights[whole], groups=groups[whole], covariates=Z[whole]
        )
        truth = truth.cv_scores_
        order = np.random.default_rng(0).permutation(N)
        # y in another order: arrays belong to the rows of X.
        with pytest.warns(DataWarning, match="brought into the order of X by name"):
            assert np.array_equal(
                model.fit(x, y.iloc[order], sample_weight=weights, groups=groups, covariates=Z).cv_scores_,
                truth,
            )
        # All in orders of their own, and more labels than rows.
        shuffled = [part.iloc[np.random.default_rng(i).permutation(N)] for i, part in enumerate((y, g, w, z))]
        with pytest.warns(DataWarning, match="rows of groups"):
            got = model.fit(
                x, shuffled[0], sample_weight=shuffled[2], groups=shuffled[1], covariates=shuffled[3]
            )
        assert np.array_equal(got.cv_scores_, truth)
        some = x.index[whole]
        with pytest.warns(DataWarning, match="rows of the sample weights"):
            got = model.fit(
                x.loc[some], y.loc[some], sample_weight=shuffled[2], groups=shuffled[1],
                covariates=shuffled[3],
            )
        assert np.array_equal(got.cv_scores_, truth)

    def test_other_names_are_refused_and_names_that_repeat_are_taken_by_position(self, frames):
        x, y, g, w, _ = (part.iloc[:60] for part in frames)
        x, y = x.fillna(0), y.fillna(0)
        model = CCACV(1, ridges=[0.1], folds=2)
        with pytest.raises(ValueError, match='groups: 1 of the 60 rows of X .*"mouse 0"'):
            model.fit(x, y, groups=g.iloc[1:])
        with pytest.raises(ValueError, match="the sample weights: 60 of the 60 rows of X"):
            model.fit(x, y, sample_weight=w.rename(index=str.upper))
        subjects = [f"subject {i // 2}" for i in range(60)]
        visits = [part.set_axis(subjects) for part in (x, y, g, w)]
        truth = model.fit(
            x.to_numpy(), y.to_numpy(), sample_weight=w.to_numpy(), groups=g.to_numpy()
        ).cv_scores_
        z = w.to_frame("weight").set_axis(subjects)
        adjusted = CCA(1).fit(x.to_numpy(), y.to_numpy(), covariates=z.to_numpy()).correlations_
        with warnings.catch_warnings():
            warnings.simplefilter("error", DataWarning)
            assert np.array_equal(
                model.fit(visits[0], visits[1], sample_weight=visits[3], groups=visits[2]).cv_scores_, truth
            )
            assert np.array_equal(CCA(1).fit(visits[0], visits[1], covariates=z).correlations_, adjusted)
        with pytest.raises(ValueError, match='the row name "subject [0-9]+" occurs in rows 1 and 2'):
            CCA(1).fit(visits[0], visits[1], covariates=z.iloc[::-1])

    def test_files_keep_what_belongs_to_their_rows(self, data, frames, tmp_path):
        X, Y, groups, weights, Z, whole = data
        x, y, g, w, z = frames
        order = np.random.default_rng(0).permutation(N)
        for name, part in (("x", x), ("y", y.iloc[order]), ("z", z.iloc[order])):
            part.to_csv(tmp_path / f"{name}.csv", index_label="id")
        model = CCACV(1, ridges=[0.01, 1.0], folds=3, missing="drop")
        truth = model.fit(X[whole], Y[whole], sample_weight=weights[whole], groups=groups[whole]).cv_scores_
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DataWarning)
            for labels, numbers in ((groups, weights), (g, w)):
                got = model.fit(tmp_path / "x.csv", tmp_path / "y.csv", sample_weight=numbers, groups=labels)
                np.testing.assert_allclose(got.cv_scores_, truth, rtol=0, atol=1e-10)
            got = model.fit(tmp_path / "x.csv", tmp_path / "y.csv", sample_weight=w, groups=g.iloc[order])
            np.testing.assert_allclose(got.cv_scores_, truth, rtol=0, atol=1e-10)
            x.fillna(0).to_csv(tmp_path / "x.csv", index_label="id")
            y.fillna(0).to_csv(tmp_path / "y.csv", index_label="id")
            truth = CCA(1).fit(np.nan_to_num(X), np.nan_to_num(Y), covariates=Z).correlations_
            got = CCA(1).fit(tmp_path / "x.csv", tmp_path / "y.csv", covariates=tmp_path / "z.csv")
            np.testing.assert_allclose(got.correlations_, truth, rtol=0, atol=1e-10)
