"""The steps of a release that need no building: what would be published, in which order, and what is refused."""

import json
import tarfile

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
        assert all((folder / name).read_bytes() == (ROOT / name).read_bytes() for name in ("LICENSE-MIT", "LICENSE-APACHE"))


def test_a_release_needs_a_home_a_tag_and_a_date():
    import papers
    import workspace
    from shell import Failed

    with pytest.raises(Failed, match="the tag is v9.9.9"):
        papers.ready("v9.9.9", workspace.home())
    with pytest.raises(Failed, match="`repository` in Cargo.toml"):
        papers.ready(f"v{workspace.version()}", "https://elsewhere.invalid/lcca")
    papers.cited()


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


def test_what_is_skipped_at_home_fails_on_a_forge(monkeypatch, capsys):
    import shell

    monkeypatch.setattr(shell, "SKIPPED", [])
    shell.skip("something", "for a reason")
    assert shell.SKIPPED == ["something: for a reason"]
    monkeypatch.setenv("CI", "true")
    with pytest.raises(shell.Failed, match="for a reason"):
        shell.skip("something", "for a reason")
