"""The steps of a release that need no building: what would be published, in which order,
and what is refused."""

import json
import re
import shutil
import subprocess
import sys
import tarfile
import zipfile

import pytest
from conftest import ROOT

TOOLS = ROOT / "tools/release"


@pytest.fixture(autouse=True)
def at_home(monkeypatch):
    """The tools run in the root of the repository and import each other by name."""
    monkeypatch.chdir(ROOT)
    monkeypatch.syspath_prepend(str(TOOLS))
    monkeypatch.delenv("CI", raising=False)


def test_crates_are_published_after_those_that_they_need():
    import workspace

    names = [crate["name"] for crate in workspace.published()]
    assert names.index("lcca") < names.index("lcca-io") < names.index("lcca-cli")
    assert not {"xtask", "lcca-fuzz", "lcca-python"} & set(names)
    assert {crate["name"] for crate in workspace.members() if crate["publish"] is None} == set(names)


def test_every_published_crate_says_what_registries_show():
    import crates
    import workspace

    for crate in workspace.published():
        crates.check(crate)
        folder = ROOT / "crates" / crate["name"]
        assert all(
            (folder / name).read_bytes() == (ROOT / name).read_bytes()
            for name in ("LICENSE-MIT", "LICENSE-APACHE")
        )


def test_a_release_needs_a_home_a_tag_and_a_date(tmp_path, monkeypatch):
    import papers
    import workspace
    from shell import Failed

    home, tag = "https://forge.example/lcca", f"v{workspace.version()}"
    with pytest.raises(Failed, match="the tag is v9.9.9"):
        papers.ready("v9.9.9", home)
    monkeypatch.setattr(workspace, "home", lambda: "https://lcca.invalid/")
    with pytest.raises(Failed, match="which is no home"):
        papers.ready(tag, "https://lcca.invalid")
    monkeypatch.setattr(workspace, "home", lambda: home)
    with pytest.raises(Failed, match="and this is https://elsewhere.example"):
        papers.ready(tag, "https://elsewhere.example/lcca")
    changelog = (ROOT / "CHANGELOG.md").read_text("utf-8")
    dated = tmp_path / "CHANGELOG.md"
    shutil.copy(ROOT / "CITATION.cff", tmp_path)
    monkeypatch.chdir(tmp_path)
    dated.write_text(changelog.replace(" - 2026", " - unreleased", 1), "utf-8")
    with pytest.raises(Failed, match="has no date"):
        papers.ready(tag, home)
    dated.write_text(changelog.replace(" - unreleased", " - 2026-01-01", 1), "utf-8")
    papers.ready(tag, home)


def test_artifacts_have_limits_and_checksums(tmp_path, monkeypatch, capsys):
    import artifacts
    import workspace
    from shell import Failed

    monkeypatch.setattr(workspace, "DIST", tmp_path)
    program = tmp_path / "lcca"
    program.write_bytes(b"\x7fELF" * 10)
    with tarfile.open(tmp_path / "lcca-1-linux.tar.gz", "w:gz") as archive:
        archive.add(program, "lcca-1-linux/lcca")
    program.unlink()
    (tmp_path / "lcca-1.whl").write_bytes(b"")
    artifacts.show()
    assert "40  the program in it" in capsys.readouterr().out
    sums = (tmp_path / "SHA256SUMS").read_text()
    assert "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  lcca-1.whl\n" in sums
    monkeypatch.setattr(artifacts, "LARGEST_PROGRAM", 39)
    with pytest.raises(Failed, match="40 bytes, 39 are allowed"):
        artifacts.show()


def test_the_bill_of_materials_names_what_is_linked(tmp_path, monkeypatch):
    import supply
    import workspace

    monkeypatch.setattr(workspace, "DIST", tmp_path)
    supply.bill()
    (path,) = tmp_path.glob("*.cdx.json")
    components = {entry["name"]: entry for entry in json.loads(path.read_text())["components"]}
    assert components["faer"]["purl"].startswith("pkg:cargo/faer@")
    assert "lcca-io" in components and "proptest" not in components
    assert all(entry["licenses"] for entry in components.values())


def test_what_is_not_done_at_home_fails_on_a_forge(monkeypatch):
    import shell

    monkeypatch.setattr(shell, "NOT_DONE", [])
    shell.not_done("something", "for a reason")
    assert shell.NOT_DONE == ["something: for a reason"]
    monkeypatch.setenv("CI", "true")
    with pytest.raises(shell.Failed, match="for a reason"):
        shell.not_done("something", "for a reason")
    shell.not_done("something else", "nobody can", everywhere=True)
    assert shell.NOT_DONE[1:] == ["something else: nobody can"]


def test_a_step_that_left_something_out_has_not_passed():
    import shell

    assert shell.outcome("bill", 1.4, []).split() == ["bill", "1", "s", "passed"]
    told = shell.outcome("deny", 0, ["advisories: out of reach"])
    assert told.endswith("NOT DONE: advisories: out of reach") and "passed" not in told


def test_registries_get_links_that_lead_somewhere():
    from links import absolute

    text = (
        "[a](docs/a.md#b) ![p](p.svg) [c](https://c.example/) [d](#d)\n```python\nx[0](y)\n```\n[`e`](e.md)"
    )
    told = absolute(text, "https://forge.example/us/lcca/", "v1.2.3")
    page, picture = "https://forge.example/us/lcca/blob/v1.2.3", "https://forge.example/us/lcca/raw/v1.2.3"
    assert (
        told
        == (
            f"[a]({page}/docs/a.md#b) ![p]({picture}/p.svg) [c](https://c.example/) "
            f"[d](#d)\n```python\nx[0](y)\n```\n[`e`]({page}/e.md)"
        )
    )
    readme = absolute((ROOT / "README.md").read_text("utf-8"), "https://forge.example", "v1")
    paths = re.findall(r"\]\(https://forge.example/(?:blob|raw)/v1/([^)#]+)", readme)
    assert len(paths) > 50 and all((ROOT / path).exists() for path in paths)
    assert not re.search(r"\]\((?!https://|#)", readme)


def test_public_interfaces_are_compared_with_the_release_before_this_one(tmp_path, monkeypatch):
    import supply

    def git(*words):
        subprocess.run(
            ["git", "-c", "user.name=test", "-c", "user.email=test@localhost", *words],
            check=True,
            capture_output=True,
        )

    monkeypatch.chdir(tmp_path)
    git("init")
    git("commit", "--allow-empty", "--message", "first")
    assert supply.last_release() == ""
    git("tag", "v0.1.0")
    assert supply.last_release() == "", "a release is not compared with itself"
    git("commit", "--allow-empty", "--message", "second")
    assert supply.last_release() == "v0.1.0"
    git("tag", "v0.1.1")
    assert supply.last_release() == "v0.1.0"


def test_a_wheel_says_where_its_sources_are(tmp_path):
    import wheels
    import workspace
    from shell import Failed

    def wheel(about):
        path = tmp_path / "lcca-1.whl"
        with zipfile.ZipFile(path, "w") as files:
            files.writestr("lcca-1.dist-info/METADATA", about)
        return path

    wheels.leads_home(wheel(f"Name: lcca\nProject-URL: Source Code, {workspace.home()}\n\n"))
    with pytest.raises(Failed, match="where its sources are"):
        wheels.leads_home(wheel("Name: lcca\n\n"))


def test_the_oldest_versions_are_those_of_the_package_file():
    tool = ROOT / "tools" / "oldest.py"
    listed = subprocess.run([sys.executable, tool], capture_output=True, text=True, check=True).stdout.split()
    project = (ROOT / "pyproject.toml").read_text("utf-8")
    for name, exactly in (line.split("==") for line in listed):
        if name not in ("pandas", "polars", "pyarrow", "pytest"):
            assert f'"{name}>={exactly}' in project, name
    assert {"numpy", "scikit-learn", "mudata", "tqdm"} <= {line.split("==")[0] for line in listed}
    assert not any(line.startswith(("maturin", "python")) for line in listed)
