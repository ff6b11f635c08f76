"""Tables in files: what is guessed and said, names of rows, missing values, categories, rows for a model."""

import warnings

import numpy as np
import pytest
from conftest import shared_factors

import lcca
from lcca import CCA, DataWarning

pandas = pytest.importorskip("pandas")


@pytest.fixture
def folder(tmp_path):
    """Two CSV files with the same names of rows, and the frames in them."""
    x, y = shared_factors(120, 4, 3, 2)
    rows = [f"mouse {i}" for i in range(120)]
    frames = [
        pandas.DataFrame(x, index=pandas.Index(rows, name="id"), columns=["a", "b", "c", "d"]),
        pandas.DataFrame(y, index=pandas.Index(rows, name="id"), columns=["p", "q", "r"]),
    ]
    for name, frame in zip("xy", frames, strict=True):
        frame.to_csv(tmp_path / f"{name}.csv")
    return tmp_path, *frames


def silently(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DataWarning)
        return call()


def test_guesses_are_warnings_and_what_is_said_is_not_guessed(folder):
    path, x, _ = folder
    with pytest.warns(DataWarning, match='x.csv: first line taken as names, column "id" as row names'):
        guessed = lcca.read(path / "x.csv")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = lcca.read(path / "x.csv", header=True, index="id")
    assert guessed.names == said.names == list("abcd") and said.row_names == list(x.index)
    assert lcca.read(path / "x.csv", header=True, index="id", columns=["b", "d"]).names == ["b", "d"]


def test_files_are_paired_by_name(folder):
    path, x, y = folder
    truth = CCA(2).fit(x, y)
    y.sample(frac=1, random_state=0).to_csv(path / "shuffled.csv")
    with pytest.warns(DataWarning, match="rows of y brought into the order of X by name"):
        model = CCA(2).fit(path / "x.csv", path / "shuffled.csv")
    assert np.allclose(model.correlations_, truth.correlations_, rtol=0, atol=1e-12)
    assert list(model.feature_names_in_) == list("abcd") and list(model.y_feature_names_in_) == list("pqr")
    shuffled = silently(lambda: lcca.read(path / "shuffled.csv"))
    with pytest.warns(DataWarning, match="brought into the order of X by name"):
        mixed = CCA(2).fit(x, shuffled)
    assert np.allclose(mixed.correlations_, truth.correlations_, rtol=0, atol=1e-12)
    with pytest.warns(DataWarning):
        assert model.score(path / "x.csv", path / "shuffled.csv") == pytest.approx(truth.score(x, y))
    y[5:].to_csv(path / "fewer.csv")
    with pytest.raises(ValueError, match='mouse 0.*align="none" pairs rows by position'):
        silently(lambda: CCA(2).fit(path / "x.csv", path / "fewer.csv"))


def test_numbers_that_name_rows_are_the_same_in_a_file_and_a_frame(folder):
    path, x, y = folder
    numbers = np.random.default_rng(0).permutation(120) + 1000
    x.set_index(numbers).to_csv(path / "numbered.csv", index_label="id")
    y = y.set_index(numbers).sort_index()
    file = lcca.read(path / "numbered.csv", header=True, index="id")
    with pytest.warns(DataWarning, match="brought into the order of X by name"):
        model = CCA(2).fit(file, y)
    assert np.allclose(model.correlations_, CCA(2).fit(x, folder[2]).correlations_, rtol=0, atol=1e-12)


def test_missing_values_in_files(folder):
    path, x, y = folder
    x.iloc[3, 1] = y.iloc[7, 2] = np.nan
    x.to_csv(path / "x.csv")
    y.to_csv(path / "y.csv")
    files = path / "x.csv", path / "y.csv"
    with pytest.raises(ValueError, match='missing="drop" leaves such rows out'):
        silently(lambda: CCA(2).fit(*files))
    weights = np.random.default_rng(0).random(120)
    for missing in ("drop", "mean"):
        here, there = (
            silently(
                lambda v=v, m=missing: CCA(2, missing=m).fit(
                    *v, sample_weight=weights if m == "drop" else None
                )
            )
            for v in ((x, y), files)
        )
        assert np.allclose(here.correlations_, there.correlations_, rtol=0, atol=1e-10), missing
        assert here.n_samples_ == there.n_samples_ == (118 if missing == "drop" else 120)
        ours, theirs = (
            silently(lambda m=here: m.transform(x)),
            silently(lambda m=there: m.transform(path / "x.csv")),
        )
        assert (
            ours.shape == theirs.shape == (120, 2)
            and np.allclose(np.abs(ours), np.abs(theirs), equal_nan=True, atol=1e-8)
        )
    dropped = silently(
        lambda: lcca.read(path / "x.csv", missing="drop", index=False, columns=["a", "b", "c", "d"])
    )
    assert dropped.dropped == 1 and len(dropped.rows_in_file) == 119
    mixed = silently(lambda: CCA(2, missing="drop").fit(dropped, y.reset_index(drop=True)))
    assert mixed.n_samples_ == 118


def test_rows_for_a_model_are_picked_by_name_and_encoded(folder):
    path, x, y = folder
    color = np.random.default_rng(0).choice(["blue", "red"], 120)
    x.assign(color=color).to_csv(path / "x.csv")
    model = silently(lambda: CCA(2, ridge=0.1).fit(path / "x.csv", path / "y.csv"))
    assert list(model.feature_names_in_) == [*"abcd", "color=blue", "color=red"]
    table = x.assign(color=color)
    assert np.allclose(silently(lambda: model.transform(path / "x.csv")), model.transform(table), atol=1e-10)
    other = table[["color", "d", "c", "b", "a"]].assign(extra=1.0)
    other.iloc[:2, 0] = "mauve"
    other.to_csv(path / "other.csv")
    with pytest.warns(DataWarning) as warned:
        scores = model.transform(path / "other.csv")
    texts = " ".join(str(warning.message) for warning in warned)
    assert "extra" in texts and "mauve" in texts
    assert np.allclose(scores[2:], model.transform(table)[2:], atol=1e-10)


def test_wrong_options_are_refused(folder):
    path, *_ = folder
    for wrong, words in (
        ({"header": "yes"}, "header == 'yes', expected True, False or None"),
        ({"index": 3}, "index == 3, expected the name of a column"),
        ({"missing": "skip"}, "missing == \"skip\""),
        ({"categorical": "no"}, "categorical == \"no\""),
    ):
        with pytest.raises((TypeError, ValueError), match=words):
            lcca.read(path / "x.csv", **wrong)


def test_texts_are_read_as_they_are_written(folder):
    path, x, _ = folder
    x.to_csv(path / "x.txt", sep="|", decimal=",")
    with pytest.raises(ValueError, match="lcca.read with delimiter"):
        lcca.read(path / "x.txt")
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        said = lcca.read(path / "x.txt", header=True, index="id", delimiter="|", decimal=",")
    plain = lcca.read(path / "x.csv", header=True, index="id")
    assert (said.names, said.row_names, said.shape) == (plain.names, plain.row_names, plain.shape)
    with pytest.warns(DataWarning, match="numbers have decimal commas"):
        lcca.read(path / "x.txt", delimiter="|")
    with pytest.raises(ValueError, match="delimiter == 'ab', expected one character"):
        lcca.read(path / "x.txt", delimiter="ab")
    with pytest.raises(ValueError, match="decimal == ';'"):
        lcca.read(path / "x.txt", decimal=";")


def test_words_for_missing_values_are_categories_in_files_and_frames(folder):
    path, x, y = folder
    bags = np.resize(["None", "Driver", "NA"], len(x))
    x.assign(bags=bags).to_csv(path / "bags.csv")
    file = silently(lambda: lcca.read(path / "bags.csv"))
    assert file.names == [*"abcd", "bags=Driver", "bags=NA", "bags=None"]
    assert list(CCA(2).fit(x.assign(bags=bags), y).feature_names_in_) == file.names
    with pytest.raises(ValueError, match='the value is missing [(]"None"[)]'):
        silently(lambda: lcca.read(path / "bags.csv", na="None"))
    empty = x.assign(bags=np.where(bags == "NA", "", bags))
    assert list(silently(lambda: CCA(2, missing="mean").fit(empty, y)).feature_names_in_)[4:] == [
        "bags=Driver",
        "bags=None",
    ]
    with pytest.raises(ValueError, match="missing"):
        CCA(2).fit(empty, y)


def test_commas_before_decimals_are_told_from_commas_between_fields(tmp_path):
    (tmp_path / "x.csv").write_text("1,5;2,5\n3,5;4,25\n5,5;1,0\n")
    read = silently(lambda: lcca.read(tmp_path / "x.csv", header=False))
    assert read.toarray().tolist() == [[1.5, 2.5], [3.5, 4.25], [5.5, 1.0]]
    (tmp_path / "x.tsv").write_text("1,5\n-2,25\n3,5\n")
    with pytest.raises(ValueError, match="line 1: has one comma .* say which; lcca.read with decimal"):
        lcca.read(tmp_path / "x.tsv", header=False)
    assert lcca.read(tmp_path / "x.tsv", header=False, decimal=",").toarray().tolist() == [
        [1.5], [-2.25], [3.5]
    ]
    assert silently(lambda: lcca.read(tmp_path / "x.tsv", header=False, decimal=".")).shape == (3, 2)


def test_a_quoted_line_end_does_not_hide_what_is_between_fields(tmp_path):
    (tmp_path / "x.csv").write_text('a;b\n1;"two\nlines"\n2;one\n3;"two\nlines"\n4;one\n')
    assert silently(lambda: lcca.read(tmp_path / "x.csv")).names == ["a", "b=one", "b=two\nlines"]


@pytest.mark.parametrize("extension", ["parquet", "feather"])
def test_a_column_is_judged_by_more_than_the_first_group_of_rows(tmp_path, extension):
    """A group of one row says nothing: its text is different from all others in it."""
    arrow = pytest.importorskip("pyarrow")
    feather, parquet = pytest.importorskip("pyarrow.feather"), pytest.importorskip("pyarrow.parquet")
    path = tmp_path / f"x.{extension}"

    def write(colors):
        table = arrow.table({"color": colors, "size": list(range(len(colors)))})
        if extension == "parquet":
            parquet.write_table(table, path, row_group_size=1)
        else:
            feather.write_feather(table, path, chunksize=1)

    write(["red", "blue", "red", "blue"])
    read = silently(lambda: lcca.read(path))
    assert (read.names, read.row_names) == (["color=blue", "color=red", "size"], None)
    write([f"r{row}" for row in range(100)] + ["r0"])
    with pytest.raises(
        ValueError, match='column "color": was taken as row names, but "r0" occurs more than once'
    ):
        silently(lambda: lcca.read(path))


@pytest.mark.parametrize("missing", ["drop", "mean"])
def test_a_column_of_texts_without_any_text_does_not_vanish(tmp_path, missing):
    pytest.importorskip("pyarrow")
    frame = pandas.DataFrame({"size": [1.0, 2.0, 4.0], "color": ["?", "?", "?"]})
    frame.to_parquet(tmp_path / "x.parquet")
    with pytest.raises(ValueError, match='column "color": has no value at all'):
        lcca.read(tmp_path / "x.parquet", na="?", missing=missing)
