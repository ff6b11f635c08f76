"""Beyond one machine: the same fit over rows that the workers of a Dask cluster hold. `pip install lcca[dask]`.

    from dask.distributed import Client
    import lcca, lcca.dask

    client = Client("tcp://scheduler:8786")
    pair = lcca.dask.from_loaders(client, [("x_0.npz", "y_0.npz"), ("x_1.npz", "y_1.npz")])
    model = lcca.CCA(n_components=20, ridge=0.01).fit(pair)

The loop runs here; a pass sends thin panels to every worker, multiplies them there and brings home the sums. No row ever
moves. A worker that dies costs the loading of its shards, by those that are left and by one that comes in its place.
"""

try:
    import distributed as _distributed  # noqa: F401
except ImportError as error:  # pragma: no cover
    raise ImportError("lcca.dask needs Dask: pip install lcca[dask]") from error

from lcca.dask._build import from_array, from_dataframe, from_delayed, from_loaders, from_parquet
from lcca.dask._pair import Pair
from lcca.dask._shards import ShardError

__all__ = ["Pair", "ShardError", "from_array", "from_dataframe", "from_delayed", "from_loaders", "from_parquet"]
