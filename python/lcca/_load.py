"""Opening model files."""

import json
import os

import numpy as np

from lcca import _lcca, _model
from lcca._cca import CCA


def load(path: "str | os.PathLike[str]") -> CCA:
    """Opens a model that `lcca fit -o` or `CCA.save` wrote.

    It transforms, scores and predicts as the fitted one did, to the bit, and knows how the fit ended: its
    trace (at most 1,000 iterations), whether it converged, what was decided, and its passes. Attributes that
    the file does not hold are None: the seconds and the work. Files of earlier versions may hold less:
    without regressions they cannot `predict`, and say so. Variables are those of the file: `CCA.save` keeps
    `variables`, and models of the program have variables of unit length.

    Parameters
    ----------
    path : str or path
        A model file.

    Returns
    -------
    CCA
        Fitted, with the parameters it was fitted with.

    Examples
    --------
    >>> import numpy as np, lcca, tempfile, os
    >>> random = np.random.default_rng(0)
    >>> X, Y = random.standard_normal((50, 3)), random.standard_normal((50, 2))
    >>> model = lcca.CCA(n_components=2).fit(X, Y)
    >>> folder = tempfile.TemporaryDirectory()
    >>> path = os.path.join(folder.name, "model")
    >>> model.save(path)
    >>> bool((lcca.load(path).transform(X) == model.transform(X)).all())
    True
    """
    parts = _lcca.load(os.fspath(path))
    model = CCA(**_model.parameters(json.loads(parts["settings"]), parts["parameters"]))
    model._set_file(parts)
    model.set_params(**_model.reading(model._provenance))
    model.n_features_in_ = len(model.x_weights_)
    if parts["x_names"] is not None:
        model.feature_names_in_ = np.asarray(parts["x_names"], dtype=object)
    if parts["y_names"] is not None:
        model.y_feature_names_in_ = np.asarray(parts["y_names"], dtype=object)
    if parts["covariate_names"] is not None:
        model.covariate_names_in_ = np.asarray(parts["covariate_names"], dtype=object)
    return model
