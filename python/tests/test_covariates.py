"""Covariates against residuals that were formed with NumPy."""

import pickle

import numpy as np
import pytest
import scipy.sparse as sp

import lcca

N = 240


@pytest.fixture(scope="module")
def data():
    random = np.random.default_rng(0)
    z = random.standard_normal((N, 3)) @ random.standard_normal((3, 3)) + [50.0, 0.0, 3.0]
    groups = random.integers(0, 4, N)
    Z = np.column_stack([z, z[:, 0] - z[:, 1], np.ones(N), np.eye(4)[groups]])
    shared = random.standard_normal((N, 2))
    X = (
        shared @ random.standard_normal((2, 7))
        + random.standard_normal((N, 7))
        + 0.5 * Z @ random.standard_normal((9, 7))
    )
    Y = (
        shared @ random.standard_normal((2, 5))
        + random.standard_normal((N, 5))
        + 0.5 * Z @ random.standard_normal((9, 5))
    )
    return X, Y, Z


def coefficients(view, Z):
    design = np.column_stack([np.ones(len(Z)), Z])
    return np.linalg.lstsq(design, view, rcond=1e-10)[0]


def residuals(view, Z, beta=None):
    beta = coefficients(view, Z) if beta is None else beta
    return view - np.column_stack([np.ones(len(Z)), Z]) @ beta


@pytest.mark.parametrize(
    "parameters", [{}, {"ridge": 0.1, "scale": True}, {"method": "exact"}, {"metric": "pls", "scale": False}]
)
@pytest.mark.parametrize("kind", [np.asarray, sp.csr_array])
def test_a_fit_with_covariates_is_one_to_residuals(data, parameters, kind):
    X, Y, Z = data
    got = lcca.CCA(3, **parameters).fit(X, Y, covariates=kind(Z))
    expected = lcca.CCA(3, **parameters).fit(residuals(X, Z), residuals(Y, Z))
    for name in ("correlations_", "objective_", "x_weights_", "y_weights_", "x_loadings_"):
        np.testing.assert_allclose(getattr(got, name), getattr(expected, name), rtol=1e-9, atol=1e-9)


def test_an_independent_computation_agrees(data):
    X, Y, Z = data
    qx, qy = (np.linalg.qr(residuals(view, Z))[0] for view in (X, Y))
    truth = np.linalg.svd(qx.T @ qy, compute_uv=False)[:3]
    np.testing.assert_allclose(lcca.CCA(3).fit(X, Y, covariates=Z).correlations_, truth, rtol=0, atol=1e-9)


def test_new_rows_are_adjusted_by_the_coefficients_of_the_fit(data, tmp_path):
    X, Y, Z = data
    train, test = slice(0, 180), slice(180, N)
    model = lcca.CCA(2).fit(X[train], Y[train], covariates=Z[train])
    left = [residuals(view[test], Z[test], coefficients(view[train], Z[train])) for view in (X, Y)]
    variables = [
        view @ weights for view, weights in zip(left, (model.x_weights_, model.y_weights_), strict=True)
    ]
    model.save(tmp_path / "model")
    for known in (model, lcca.load(tmp_path / "model"), pickle.loads(pickle.dumps(model))):
        got = known.transform(X[test], Y[test], covariates=Z[test])
        for a, b in zip(got, variables, strict=True):
            np.testing.assert_allclose(a, b, rtol=0, atol=1e-9)
        np.testing.assert_allclose(
            known.transform_y(Y[test], covariates=Z[test]), variables[1], rtol=0, atol=1e-9
        )
        expected = [np.corrcoef(x, y)[0, 1] for x, y in zip(variables[0].T, variables[1].T, strict=True)]
        np.testing.assert_allclose(
            known.correlations(X[test], Y[test], covariates=Z[test]), expected, rtol=0, atol=1e-9
        )
        assert known.score(X[test], Y[test], covariates=Z[test]) == pytest.approx(np.mean(expected), abs=1e-9)
        beta = np.linalg.lstsq(
            variables_of_training(model, X, Z, train), residuals(Y[train], Z[train]), rcond=None
        )[0]
        prediction = Y[test] - left[1] + variables[0] @ beta
        np.testing.assert_allclose(known.predict(X[test], covariates=Z[test]), prediction, rtol=0, atol=1e-8)


def variables_of_training(model, X, Z, train):
    return residuals(X[train], Z[train]) @ model.x_weights_


def test_all_variables_of_a_view_give_its_rows_back(data):
    X, Y, Z = data
    model = lcca.CCA(5).fit(Y, X, covariates=Z)
    rows = model.inverse_transform(model.transform(Y, covariates=Z), covariates=Z)
    np.testing.assert_allclose(rows, Y, rtol=0, atol=1e-8)


def test_categories_become_indicators_by_name_and_unknown_ones_are_refused(data, tmp_path):
    pd = pytest.importorskip("pandas")
    X, Y, Z = data
    site = np.array(["north", "south", "east", "west"])[Z[:, 5:].argmax(axis=1)]
    table = pd.DataFrame({"age": Z[:, 0], "site": pd.Categorical(site)})
    model = lcca.CCA(2).fit(X, Y, covariates=table)
    numbers = np.column_stack(
        [Z[:, 0], *(site == name for name in ("east", "north", "south", "west"))]
    ).astype(float)
    np.testing.assert_allclose(
        model.correlations_, lcca.CCA(2).fit(X, Y, covariates=numbers).correlations_, rtol=0, atol=1e-10
    )
    assert list(model.covariate_names_in_) == ["age", "site=east", "site=north", "site=south", "site=west"]
    some = table.iloc[:9][["site", "age"]].astype({"site": str})
    model.save(tmp_path / "model")
    for known in (model, lcca.load(tmp_path / "model")):
        np.testing.assert_allclose(
            known.transform(X[:9], covariates=some), model.transform(X, covariates=table)[:9], rtol=0,
            atol=1e-12,
        )
        with pytest.raises(ValueError, match="'site' has the category 'moon'"):
            known.transform(X[:1], covariates=pd.DataFrame({"age": [3.0], "site": ["moon"]}))
        with pytest.raises(ValueError, match="no column"):
            known.transform(X[:1], covariates=pd.DataFrame({"age": [3.0]}))
    table.assign(site=site).to_csv(tmp_path / "z.csv", index=False)
    np.testing.assert_allclose(
        lcca.CCA(2).fit(X, Y, covariates=tmp_path / "z.csv").correlations_,
        model.correlations_,
        rtol=0,
        atol=1e-9,
    )


def test_rows_of_tables_are_aligned_by_name(data):
    pd = pytest.importorskip("pandas")
    X, Y, Z = data
    names = [f"row {i}" for i in range(N)]
    x, y, z = (pd.DataFrame(view, index=names).rename(columns=str) for view in (X, Y, Z))
    got = lcca.CCA(2).fit(x, y, covariates=z.iloc[::-1])
    np.testing.assert_allclose(
        got.correlations_, lcca.CCA(2).fit(X, Y, covariates=Z).correlations_, rtol=0, atol=1e-10
    )
    with pytest.raises(ValueError, match="rows of X are not in it"):
        lcca.CCA(2).fit(x, y, covariates=z.iloc[1:])


def test_rows_with_missing_values_are_left_out_with_their_covariates(data):
    X, Y, Z = data
    gaps = X.copy()
    gaps[7, 2] = np.nan
    keep = np.arange(N) != 7
    with pytest.warns(lcca.DataWarning):
        got = lcca.CCA(2, missing="drop").fit(gaps, Y, covariates=Z)
    np.testing.assert_allclose(
        got.correlations_,
        lcca.CCA(2).fit(X[keep], Y[keep], covariates=Z[keep]).correlations_,
        rtol=0,
        atol=1e-10,
    )


def test_missing_covariates_are_refused_left_out_or_filled_in_as_those_of_views(data):
    X, Y, Z = data
    gaps = Z.copy()
    gaps[[7, 30], [2, 0]] = np.nan
    keep = np.setdiff1d(np.arange(N), [7, 30])
    with pytest.raises(
        ValueError,
        match=r'covariates contains 2 missing values.*row 7, column 2: missing="drop" leaves such rows out',
    ):
        lcca.CCA(2).fit(X, Y, covariates=gaps)
    with pytest.warns(lcca.DataWarning, match="2 of 240 rows have missing values"):
        dropped = lcca.CCA(2, missing="drop").fit(X, Y, covariates=gaps)
    whole = lcca.CCA(2).fit(X[keep], Y[keep], covariates=Z[keep])
    np.testing.assert_allclose(dropped.correlations_, whole.correlations_, rtol=0, atol=1e-10)
    scores = dropped.transform(X, covariates=gaps)
    assert (np.isnan(scores).all(axis=1) == ~np.isin(np.arange(N), keep)).all()
    np.testing.assert_allclose(
        scores[keep], dropped.transform(X[keep], covariates=Z[keep]), rtol=0, atol=1e-10
    )

    filled = np.where(np.isnan(gaps), np.nanmean(gaps, axis=0), gaps)
    with pytest.warns(lcca.DataWarning, match="2 of 2160 values of the covariates are missing"):
        mean = lcca.CCA(2, missing="mean").fit(X, Y, covariates=gaps)
    whole = lcca.CCA(2).fit(X, Y, covariates=filled)
    np.testing.assert_allclose(mean.correlations_, whole.correlations_, rtol=0, atol=1e-10)
    np.testing.assert_allclose(
        mean.score(X, Y, covariates=gaps), whole.score(X, Y, covariates=filled), rtol=0, atol=1e-10
    )
    # Filling in breaks a dependence between covariates in row 30 alone. They fit that row, and its scores
    # are nothing but rounding.
    np.testing.assert_allclose(
        mean.transform(X, covariates=gaps), whole.transform(X, covariates=filled), rtol=0, atol=1e-8
    )


def test_covariates_that_a_file_misses_are_treated_as_those_of_arrays(data, tmp_path):
    pd = pytest.importorskip("pandas")
    X, Y, Z = data
    gaps = Z.copy()
    gaps[[7, 30], [2, 0]] = np.nan
    path, order = tmp_path / "z.csv", np.random.default_rng(1).permutation(N)
    table = pd.DataFrame(
        gaps, index=[f"r{i}" for i in range(N)], columns=[f"c{i}" for i in range(Z.shape[1])]
    )
    x = pd.DataFrame(X, index=table.index).iloc[order]
    table.to_csv(path)
    with pytest.raises(ValueError, match='value is missing.*missing="drop"'):
        lcca.CCA(2).fit(X, Y, covariates=path)
    for missing in ("drop", "mean"):
        with pytest.warns(lcca.DataWarning):
            model = lcca.CCA(2, missing=missing).fit(X, Y, covariates=path)
            named = lcca.CCA(2, missing=missing).fit(x, Y[order], covariates=path)
            array = lcca.CCA(2, missing=missing).fit(X, Y, covariates=gaps)
        np.testing.assert_allclose(model.correlations_, array.correlations_, rtol=0, atol=1e-10)
        np.testing.assert_allclose(named.correlations_, array.correlations_, rtol=0, atol=1e-10)
        for other in (
            array.transform(X, covariates=gaps),
            named.transform(x, covariates=path)[np.argsort(order)],
        ):
            np.testing.assert_allclose(
                np.abs(model.transform(X, covariates=path)), np.abs(other), rtol=0, atol=1e-9
            )


def test_folds_and_held_out_rows_take_coefficients_from_the_other_rows(data):
    X, Y, Z = data
    model = lcca.CCACV(2, ridges=[1e-3, 1.0], folds=4, hold_out=0.25).fit(X, Y, covariates=Z)
    assert model.cv_scores_.shape == (4, 2)
    assert 0.3 < model.held_out_correlations_[0] < 1
    zx, _ = lcca.CCA(2).fit_transform(X, Y, covariates=Z)
    assert zx.shape == (N, 2)


def test_what_is_missing_or_does_not_fit_is_refused_in_one_sentence(data):
    X, Y, Z = data
    model, plain = lcca.CCA(2).fit(X, Y, covariates=Z), lcca.CCA(2).fit(X, Y)
    for call in (model.transform, model.predict, model.transform_y):
        with pytest.raises(ValueError, match="pass covariates="):
            call(Y if call == model.transform_y else X)
    with pytest.raises(ValueError, match="pass covariates="):
        model.score(X, Y)
    with pytest.raises(ValueError, match="fitted without covariates"):
        plain.transform(X, covariates=Z)
    with pytest.raises(ValueError, match="have 2 columns, expected the 9"):
        model.transform(X, covariates=Z[:, :2])
    with pytest.raises(ValueError, match="have 10 rows, expected the 240"):
        lcca.CCA(2).fit(X, Y, covariates=Z[:10])
    with pytest.raises(ValueError, match="covariates"):
        lcca.CCA(2).fit(X, Y, covariates=np.where(Z > 50, np.nan, Z))
    with pytest.raises(ValueError, match="resume"):
        lcca.CCA(2, resume="state").fit(X, Y, covariates=Z)
    with pytest.raises(ValueError, match="explain all of X"):
        lcca.CCA(1).fit(Z[:, :2], Y, covariates=Z)


def test_a_fit_with_covariates_can_be_certified(data):
    X, Y, Z = data
    model = lcca.CCA(2, ridge=0.1, method="lobpcg", tol=1e-8).fit(X, Y, covariates=Z)
    assert model.certify(X, Y, covariates=Z).bounds.max() < 1e-3
    assert model.converged_


def test_tests_and_resamples_know_the_covariates_of_the_model(data):
    X, Y, Z = data
    train, test = slice(0, 160), slice(160, N)
    model = lcca.CCA(1).fit(X[train], Y[train], covariates=Z[train])
    assert lcca.permutation_test(model, X[test], Y[test], covariates=Z[test], n=99).p_values[0] < 0.05
    result = lcca.bootstrap(model, X[train], Y[train], n=20, covariates=Z[train])
    assert result.stability[0] > 0.5
    with pytest.raises(ValueError, match="pass covariates="):
        lcca.bootstrap(model, X[train], Y[train], n=20)
