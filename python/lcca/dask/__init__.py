"""Beyond one machine: the same fit, with the rows on the workers of a Dask cluster. `pip install lcca[dask]`.

    from dask.distributed import Client
    import lcca, lcca.dask

    client = Client("tcp://scheduler:8786")
    pair = lcca.dask.from_loaders(client, [("x_0.npz", "y_0.npz"), ("x_1.npz", "y_1.npz")])
    model = lcca.CCA(n_components=20, ridge=0.01).fit(pair)

The loop runs in the client. A pass sends thin panels to every worker, multiplies them there and brings the
sums home. No row ever moves. If a worker dies, its shards are loaded again by the workers that are left, or
by one that replaces it.
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError("lcca.dask needs Dask: pip install lcca[dask]") from error

from lcca.dask._build import from_array, from_dataframe, from_delayed, from_loaders, from_parquet
from lcca.dask._losses import NoWorkersError
from lcca.dask._pair import Pair
from lcca.dask._shards import ShardError
from lcca.dask._silence import ClosedClusterError, SilentWorkerError

__all__ = [
    "ClosedClusterError", "NoWorkersError", "Pair", "ShardError", "SilentWorkerError",
    "from_array", "from_dataframe", "from_delayed", "from_loaders", "from_parquet",
]
