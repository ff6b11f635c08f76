"""Two views in one step of a pipeline: each with a transformer of its own,
CCA between them, anything after."""

from typing import Any

import numpy as np
from sklearn.base import BaseEstimator, TransformerMixin, clone
from sklearn.utils import _safe_indexing
from sklearn.utils.validation import check_is_fitted

from lcca import _frames, _rows
from lcca._cca import CCA
from lcca._frames import Named

_OUTPUTS = ("both", "x", "y", "mean")


class TwoViews(TransformerMixin, BaseEstimator):  # type: ignore[misc]
    """Makes two views of a table, fits CCA to them and returns their canonical variables as features.

    A step of scikit-learn's pipelines has one input. Here it holds both views: a table with columns for
    either, or a pair (X, y). Each view goes through a transformer of its own, such as a vectorizer, and CCA
    finds what they share. A classifier can follow.

    Parameters
    ----------
    x, y : transformer or None
        What makes each view from its columns. None takes them as they are.
    x_columns, y_columns : str, int, list or slice
        The columns of each view, as in a `ColumnTransformer`: one name gives a transformer a one-dimensional
        column, as vectorizers want it, and a list a table. Both are None if the input is a pair (X, y).
    cca : CCA, optional
        The model in the middle [default: `CCA()`].
    output : "both", "x", "y" or "mean"
        The canonical variables to return: those of both views side by side, of one view, or the mean of each
        pair. With "x" and "y", `transform` does not look at the other view, so that may be missing.

    Attributes
    ----------
    x_, y_ : transformer or None
        The fitted transformers.
    cca_ : CCA
        The fitted model.
    n_features_in_ : int
        The columns of the table that was fitted, or of both views of a pair.

    Examples
    --------
    >>> import pandas
    >>> from lcca import CCA, TwoViews
    >>> from sklearn.feature_extraction.text import CountVectorizer
    >>> from sklearn.linear_model import LogisticRegression
    >>> from sklearn.pipeline import make_pipeline
    >>> table = pandas.DataFrame({
    ...     "title": ["cats sleep", "dogs run", "cats eat", "dogs bark"] * 5,
    ...     "text": ["the cat is asleep", "a dog runs fast", "my cat likes fish", "the dog is loud"] * 5,
    ... })
    >>> views = TwoViews(
    ...     CountVectorizer(), CountVectorizer(), x_columns="title", y_columns="text", cca=CCA(2, ridge=0.1)
    ... )
    >>> model = make_pipeline(views, LogisticRegression()).fit(table, ["cat", "dog"] * 10)
    >>> model.predict(table[:2]).tolist()
    ['cat', 'dog']
    """

    def __init__(
        self,
        x: Any = None,
        y: Any = None,
        *,
        x_columns: Any = None,
        y_columns: Any = None,
        cca: CCA | None = None,
        output: str = "both",
    ) -> None:
        self.x = x
        self.y = y
        self.x_columns = x_columns
        self.y_columns = y_columns
        self.cca = cca
        self.output = output

    def fit(
        self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> "TwoViews":
        """Fits both transformers and CCA.

        Parameters
        ----------
        X : table or pair
            Rows with both views.
        y : array, optional
            Labels. CCA does not look at them; the transformers may.
        sample_weight, covariates, groups : as for `CCA.fit`
            What belongs to the rows besides the views. Only CCA looks at it.

        Returns
        -------
        TwoViews
            The estimator itself.

        Examples
        --------
        >>> import numpy as np
        >>> from lcca import CCA, TwoViews
        >>> random = np.random.default_rng(0)
        >>> pair = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> TwoViews(cca=CCA(1, ridge=1.0)).fit(pair).cca_.x_weights_.shape
        (3, 1)
        """
        self._fit(X, y, {"sample_weight": sample_weight, "covariates": covariates, "groups": groups})
        return self

    def fit_transform(
        self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None, groups: Any = None
    ) -> Any:
        """Fits both transformers and CCA, and returns the canonical variables of the same rows.

        Parameters
        ----------
        X, y, sample_weight, covariates, groups : as for `fit`
            Rows with both views, labels, and what belongs to the rows.

        Returns
        -------
        array
            One row per row, as `transform` returns it.

        Examples
        --------
        >>> import numpy as np
        >>> from lcca import CCA, TwoViews
        >>> random = np.random.default_rng(0)
        >>> pair = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> TwoViews(cca=CCA(1, ridge=1.0)).fit_transform(pair).shape
        (50, 2)
        """
        views = self._fit(X, y, {"sample_weight": sample_weight, "covariates": covariates, "groups": groups})
        chosen = [view if name in self._wanted() else None for view, name in zip(views, "xy", strict=True)]
        return self._variables(*chosen, covariates=covariates)

    def transform(self, X: Any, covariates: Any = None) -> Any:
        """The canonical variables of rows.

        Parameters
        ----------
        X : table or pair
            Rows with the views that `output` asks for.
        covariates : as for `fit`
            The covariates of the rows, if there were some in the fit.

        Returns
        -------
        array of shape (n, k), or (n, 2 k) for both views
            One row per row.

        Examples
        --------
        >>> import numpy as np
        >>> from lcca import CCA, TwoViews
        >>> random = np.random.default_rng(0)
        >>> pair = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> TwoViews(cca=CCA(1, ridge=1.0), output="x").fit(pair).transform((pair[0][:5], None)).shape
        (5, 1)
        """
        check_is_fitted(self)
        columns, fitted = self._cut(X, self._wanted()), (self.x_, self.y_)
        made = [
            None if part is None else _made(step, part) for part, step in zip(columns, fitted, strict=True)
        ]
        return self._variables(*made, covariates=covariates)

    def score(self, X: Any, y: Any = None, sample_weight: Any = None, covariates: Any = None) -> float:
        """The mean correlation of the pairs on given rows, by which a grid search can choose parameters.

        Parameters
        ----------
        X : table or pair
            Rows with both views.
        y : ignored
        sample_weight, covariates : as for `fit`
            What belongs to the rows.

        Returns
        -------
        float
            As `CCA.score` returns it.

        Examples
        --------
        >>> import numpy as np
        >>> from lcca import CCA, TwoViews
        >>> random = np.random.default_rng(0)
        >>> pair = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> TwoViews(cca=CCA(1, ridge=1.0)).fit(pair).score(pair) > 0
        True
        """
        check_is_fitted(self)
        x, y = self._cut(X, "xy")
        return self.cca_.score(_made(self.x_, x), _made(self.y_, y), sample_weight, covariates)

    def get_feature_names_out(self, input_features: Any = None) -> Any:
        """The names of the features that `transform` returns.

        Parameters
        ----------
        input_features : ignored

        Returns
        -------
        array of str
            "x0", "x1" and so on for the variables of X, "y0" for those of y, "cca0" for means of both.

        Examples
        --------
        >>> import numpy as np
        >>> from lcca import CCA, TwoViews
        >>> random = np.random.default_rng(0)
        >>> pair = random.standard_normal((50, 3)), random.standard_normal((50, 2))
        >>> TwoViews(cca=CCA(1, ridge=1.0)).fit(pair).get_feature_names_out().tolist()
        ['x0', 'y0']
        """
        check_is_fitted(self)
        prefixes = ("cca",) if self.output == "mean" else tuple(self._wanted())
        count = self.cca_.x_weights_.shape[1]
        return np.asarray([f"{prefix}{i}" for prefix in prefixes for i in range(count)], dtype=object)

    def _fit(self, X: Any, labels: Any, beside: dict[str, Any]) -> tuple[Any, Any]:
        """Fits everything and returns both views. `beside` is what belongs to the rows besides them."""
        if self.output not in _OUTPUTS:
            raise ValueError(f'output == {self.output!r}, expected one of "both", "x", "y", "mean"')
        self.__dict__.pop("n_features_in_", None)  # of an earlier fit
        parts, views, steps = self._cut(X, "xy"), [], []
        for step, part in zip((self.x, self.y), parts, strict=True):
            fitted = None if step is None else clone(step)
            views.append(part if fitted is None else _named(fitted.fit_transform(part, labels), fitted, part))
            steps.append(fitted)
        self.x_, self.y_ = steps
        self.cca_ = (CCA() if self.cca is None else clone(self.cca)).fit(*views, **beside)
        self.n_features_in_ = _width(X) if self.x_columns is not None else sum(map(_width, parts))
        return views[0], views[1]

    def _wanted(self) -> str:
        return self.output if self.output in ("x", "y") else "xy"

    def _cut(self, X: Any, wanted: str) -> list[Any]:
        """The columns of either view; None for one that is not wanted."""
        if (self.x_columns is None) != (self.y_columns is None):
            raise ValueError("x_columns and y_columns must both be given, or neither for a pair (X, y)")
        if self.x_columns is not None:
            self._check_width(X)
            chosen = {"x": self.x_columns, "y": self.y_columns}
            return [_safe_indexing(X, chosen[name], axis=1) if name in wanted else None for name in "xy"]
        if not isinstance(X, (tuple, list)) or len(X) != 2:
            raise ValueError(
                "expected a pair (X, y), or x_columns and y_columns that cut a table into two views"
            )
        return [X[i] if name in wanted else None for i, name in enumerate("xy")]

    def _check_width(self, X: Any) -> None:
        """Columns without names are told by their places, so there must be as many of them as in the fit."""
        expected, width = getattr(self, "n_features_in_", None), _width(X)
        if expected is not None and _frames.column_names(X) is None and width != expected:
            raise ValueError(
                f"X has {width} features, but TwoViews is expecting {expected} features as input."
            )

    def _variables(self, x: Any, y: Any, *, covariates: Any) -> Any:
        """The canonical variables that `output` asks for."""
        cca = self.cca_
        if y is None:
            return np.asarray(cca.transform(x, covariates=covariates))
        if x is None:
            return np.asarray(cca.transform_y(y, covariates))
        zx, zy = (np.asarray(variables) for variables in cca.transform(x, y, covariates=covariates))
        return (zx + zy) / 2 if self.output == "mean" else np.hstack([zx, zy])

    def __sklearn_is_fitted__(self) -> bool:
        return hasattr(self, "cca_")

    def __sklearn_tags__(self) -> Any:
        tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        tags.input_tags.string = True
        return tags


def _width(data: Any) -> int:
    """The number of columns; a list of texts or numbers is one column,
    and so is a file whose columns nobody has counted."""
    shape: Any = np.shape(data) if isinstance(data, (list, tuple)) else getattr(data, "shape", ())
    return int(shape[1]) if len(shape) > 1 else 1


def _made(step: Any, part: Any) -> Any:
    return part if step is None else _named(step.transform(part), step, part)


def _named(made: Any, step: Any, part: Any) -> Any:
    """What a transformer made, with the names of its columns and those of the rows that it was made from.

    Transformers return arrays, which have neither, so rows of a pair in different orders
    would be paired by position.
    """
    if not hasattr(made, "shape") or len(made.shape) != 2 or hasattr(made, "columns"):
        return made
    index = _rows.index_of(part)
    rows = index if index is not None and len(index) == made.shape[0] else None
    try:
        columns = [str(name) for name in step.get_feature_names_out()]
    except (AttributeError, ValueError, NotImplementedError):
        columns = []
    return Named(made, columns if len(columns) == made.shape[1] else None, rows)
