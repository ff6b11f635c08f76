"""The commands of the pages for groups of users run, one after another, on small files of the kind that each page begins with."""

import os
import re
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse as sp
from conftest import ROOT

pytestmark = [pytest.mark.filterwarnings("ignore::FutureWarning"), pytest.mark.filterwarnings("ignore::UserWarning")]


def cells(rows, prefix, features, seed):
    ad, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    state = np.random.default_rng(1).standard_normal((rows, 3))
    random = np.random.default_rng(seed)
    counts = random.poisson(np.exp(state @ random.standard_normal((3, features)) / 2)).astype(np.float32)
    names = [pd.DataFrame(index=[f"{name}{i}" for i in range(count)]) for name, count in (("cell", rows), (prefix, features))]
    made = ad.AnnData(sp.csr_matrix(counts), obs=names[0], var=names[1])
    made.layers["counts"] = made.X.copy()
    return made


def single_cell(folder):
    md, h5py = pytest.importorskip("mudata"), pytest.importorskip("h5py")
    md.MuData({"rna": cells(200, "gene", 30, 1), "atac": cells(200, "peak", 20, 2)}).write(folder / "multiome.h5mu")
    for name, seed in (("cells", 1), ("control", 2), ("treated", 3)):
        cells(100, "gene", 30, seed).write_h5ad(folder / f"{name}.h5ad")
    rows = cells(50, "gene", 10, 4).X
    with h5py.File(folder / "filtered_feature_bc_matrix.h5", "w") as file:
        group = file.create_group("matrix")
        group["data"], group["indices"], group["indptr"] = rows.data.astype(np.int32), rows.indices, rows.indptr
        group["shape"], group["barcodes"] = [10, 50], np.array([f"c{i}" for i in range(50)], dtype="S")
        features = group.create_group("features")
        features["id"] = features["name"] = np.array([f"g{i}" for i in range(10)], dtype="S")
        features["feature_type"] = np.array(["Gene Expression"] * 6 + ["Antibody Capture"] * 4, dtype="S")


def imaging_genetics(folder):
    random = np.random.default_rng(0)
    for ending, rows in (("", 120), ("_test", 60)):
        age, trait = random.uniform(20, 80, rows), random.standard_normal(rows)
        brain = np.outer(age, np.linspace(0, 1, 6)) / 20 + trait[:, None] + random.standard_normal((rows, 6))
        genes = (random.random((rows, 8)) < 0.4).astype(int) + (trait[:, None] > 0.5)
        table = {
            "brain": (["thickness_" + str(i) for i in range(6)], brain.round(3).tolist()),
            "genes": (["rs" + str(i) for i in range(8)], genes.tolist()),
            "covariates": (["age", "sex"], [[round(float(a), 2), random.choice(["f", "m"])] for a in age]),
        }
        (folder / f"families{ending}.txt").write_text("".join(f"family{i // 3}\n" for i in range(rows)))
        for name, (columns, numbers) in table.items():
            lines = [f"s{i}{ending}," + ",".join(map(str, row)) for i, row in enumerate(numbers)]
            (folder / f"{name}{ending}.csv").write_text("\n".join([",".join(["subject", *columns]), *lines]) + "\n")


def text(folder):
    random = np.random.default_rng(0)
    people, verbs, things = ["I je", "she elle", "we nous"], ["speak parle", "read lit", "write écrit"], ["french français", "english anglais", "books livres"]
    lines = ["english\tfrench"]
    for _ in range(400):
        chosen = [random.choice(words).split() for words in (people, verbs, things)]
        lines.append("\t".join(" ".join(part[side] for part in chosen) for side in (0, 1)))
    (folder / "pairs.tsv").write_text("\n".join(lines) + "\n")
    (folder / "corpus.txt").write_text("\n".join(line.split("\t")[0] for line in lines[1:]) + "\n")


def embeddings(folder):
    random = np.random.default_rng(0)
    meaning = random.standard_normal((500, 5))
    for name, width in (("images", 20), ("texts", 16)):
        rows = meaning @ random.standard_normal((5, width)) + random.standard_normal((500, width))
        np.save(folder / f"{name}.npy", rows.astype(np.float32))


@pytest.mark.parametrize("prepare", [single_cell, imaging_genetics, text, embeddings])
def test_every_command_of_the_page_runs(prepare, tmp_path):
    program = Path(os.environ.get("LCCA_PROGRAM", ROOT / "target/release/lcca"))
    if not program.exists():
        pytest.skip(f"{program} does not exist: cargo build --release makes it")
    prepare(tmp_path)
    page = (ROOT / "docs" / f"{prepare.__name__.replace('_', '-')}.md").read_text()
    commands = [line for block in re.findall(r"```sh\n(.*?)```", page, re.DOTALL) for line in block.splitlines() if line]
    assert commands
    (tmp_path / "bin").mkdir()
    (tmp_path / "bin" / "lcca").symlink_to(program)
    path = os.pathsep.join([str(tmp_path / "bin"), os.path.dirname(sys.executable), os.environ.get("PATH", "")])
    for command in commands:
        done = subprocess.run(command, shell=True, cwd=tmp_path, env=os.environ | {"PATH": path}, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{command}\n{done.stderr}"
