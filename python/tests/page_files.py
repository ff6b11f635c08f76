"""The files that readers of a page bring along, small and of the right kind.
Pages that begin with `lcca sample` need none."""

import numpy as np
import pytest
import scipy.sparse as sp


def views(folder, *, rows=300, names=("x", "y"), test=True):
    """Two sparse views, for pages that talk about x.npz and y.npz."""
    from conftest import sparse_pair

    for ending, count, seed in (("", rows, 0), ("_test", rows, 1)):
        if ending and not test:
            continue
        for name, view in zip(names, sparse_pair(count, 40, 30, seed), strict=True):
            sp.save_npz(folder / f"{name}{ending}.npz", sp.csr_array(view), compressed=False)


def covariates(folder):
    views(folder)
    random = np.random.default_rng(0)
    for name in ("age_sex_site", "test_age_sex_site"):
        rows = [
            f"{random.uniform(20, 80):.1f},{random.choice(['f', 'm'])},{random.choice(['north', 'south'])}"
            for _ in range(300)
        ]
        (folder / f"{name}.csv").write_text("\n".join(["age,sex,site", *rows]) + "\n")


def tables(folder):
    """Genes and lipids of mice by name, with a gap, and one table that has both."""
    random = np.random.default_rng(0)
    state = random.standard_normal((60, 2))
    genes, lipids = (
        state @ random.standard_normal((2, width)) + random.standard_normal((60, width)) for width in (6, 4)
    )
    for name, rows in (("genes", genes), ("lipids", lipids)):
        lines = [f"mouse{i}," + ",".join(f"{value:.3f}" for value in row) for i, row in enumerate(rows)]
        header = ",".join(["mouse", *(f"{name[:-1]}_{i}" for i in range(rows.shape[1]))])
        (folder / f"{name}.csv").write_text("\n".join([header, *lines]) + "\n")
    gap = (folder / "genes.csv").read_text().replace(f"{genes[0, 0]:.3f}", "NA", 1)
    (folder / "genes.csv").write_text(gap)
    lines = [f"m{i}," + ",".join(f"{v:.3f}" for v in [*genes[i], *lipids[i][:2]]) for i in range(60)]
    header = ",".join(["id", *(f"gene_{i}" for i in range(6)), "fat", "protein"])
    (folder / "mice.csv").write_text("\n".join([header, *lines]) + "\n")
    (folder / "mice.txt").write_text((folder / "mice.csv").read_text().replace(",", "\t").replace(".", ","))


def urls(folder):
    """Boolean features in svmlight's format, with some that are not Boolean."""
    random = np.random.default_rng(0)
    lines = []
    for _ in range(400):
        topic = random.integers(5)
        columns = sorted(
            {
                1 + 4 * topic + random.integers(4), 71 + 4 * topic + random.integers(4),
                30 + random.integers(40),
            }
        )
        lines.append("0 " + " ".join(f"{c}:{0.5 if c > 60 and c < 71 else 1}" for c in columns))
    (folder / "urls.svm").write_text("\n".join(lines) + "\n")


def shards(folder):
    """Four pairs of shards of the same views."""
    from conftest import sparse_pair

    for name, view in zip("xy", sparse_pair(2000, 40, 30), strict=True):
        for i in range(4):
            sp.save_npz(
                folder / f"{name}_{i}.npz", sp.csr_array(view[500 * i : 500 * (i + 1)]), compressed=False
            )


def cells(rows, prefix, features, seed):
    ad, pd = pytest.importorskip("anndata"), pytest.importorskip("pandas")
    state = np.random.default_rng(1).standard_normal((rows, 3))
    random = np.random.default_rng(seed)
    counts = random.poisson(np.exp(state @ random.standard_normal((3, features)) / 2)).astype(np.float32)
    names = [
        pd.DataFrame(index=[f"{name}{i}" for i in range(count)])
        for name, count in (("cell", rows), (prefix, features))
    ]
    made = ad.AnnData(sp.csr_matrix(counts), obs=names[0], var=names[1])
    made.layers["counts"] = made.X.copy()
    return made


def single_cell(folder):
    md, h5py = pytest.importorskip("mudata"), pytest.importorskip("h5py")
    md.MuData({"rna": cells(200, "gene", 30, 1), "atac": cells(200, "peak", 20, 2)}).write(
        folder / "multiome.h5mu"
    )
    for name, seed in (("cells", 1), ("control", 2), ("treated", 3)):
        cells(100, "gene", 30, seed).write_h5ad(folder / f"{name}.h5ad")
    rows = cells(50, "gene", 10, 4).X
    with h5py.File(folder / "filtered_feature_bc_matrix.h5", "w") as file:
        group = file.create_group("matrix")
        group["data"], group["indices"], group["indptr"] = (
            rows.data.astype(np.int32), rows.indices, rows.indptr
        )
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
            (folder / f"{name}{ending}.csv").write_text(
                "\n".join([",".join(["subject", *columns]), *lines]) + "\n"
            )


def embeddings(folder):
    random = np.random.default_rng(0)
    meaning = random.standard_normal((500, 5))
    for name, width in (("images", 20), ("texts", 16)):
        rows = meaning @ random.standard_normal((5, width)) + random.standard_normal((500, width))
        np.save(folder / f"{name}.npy", rows.astype(np.float32))


PREPARE = {
    "README.md": tables,
    "docs/command-line.md": views,
    "docs/comparing.md": views,
    "docs/covariates.md": covariates,
    "docs/embeddings.md": embeddings,
    "docs/files.md": tables,
    "docs/gpu.md": views,
    "docs/imaging-genetics.md": imaging_genetics,
    "docs/scaling.md": shards,
    "docs/single-cell.md": single_cell,
    "docs/views.md": urls,
}
