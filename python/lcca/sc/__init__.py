"""Single cells: AnnData, MuData and their files. `pip install lcca[sc]`.

`cca` relates two modalities of the same cells, `run_cca` aligns two data sets of different cells that share
genes, as Seurat's `RunCCA` does. In a shell, `python -m lcca.sc convert FILE -o FOLDER` writes `.h5ad`,
`.h5mu` and 10x `.h5` files as stores that the program `lcca` opens.
"""

from lcca.sc._cca import cca
from lcca.sc._convert import convert
from lcca.sc._read import read
from lcca.sc._run_cca import Alignment, run_cca

__all__ = ["Alignment", "cca", "convert", "read", "run_cca"]
