"""The crates as the registry will hold them, built from what was packaged and nothing else."""

import os
import pathlib
import shutil
import tarfile

import readme
import workspace
from shell import Failed, cargo, empty, forget_builds

UNPACKED = pathlib.Path("target/release-crates")
COMPLETE = ["description", "license", "repository", "readme", "keywords", "categories", "rust_version"]


def build():
    crates = workspace.published()
    for crate in crates:
        check(crate)
    names = [word for crate in crates for word in ("--package", crate["name"])]
    cargo("package", "--locked", "--allow-dirty", "--no-verify", "--quiet", *names)
    # As the workflow publishes, but for the upload: in order, without the crates that stay here.
    cargo("publish", "--dry-run", "--workspace", "--locked", "--allow-dirty", "--no-verify", "--quiet")
    workspace.DIST.mkdir(parents=True, exist_ok=True)
    folder = empty(UNPACKED)
    for crate in crates:
        archive = pathlib.Path(f"target/package/{crate['name']}-{crate['version']}.crate")
        shutil.copy(archive, workspace.DIST)
        with tarfile.open(archive) as files:
            files.extractall(folder, **({"filter": "data"} if hasattr(tarfile, "data_filter") else {}))
    verify(crates)


def check(crate):
    """What the registry shows must be there, and crates of this workspace are named by their versions."""
    missing = [field for field in COMPLETE if not crate[field]]
    if missing:
        raise Failed(f"{crate['name']}: Cargo.toml has no {', '.join(missing)}")
    for dependency in crate["dependencies"]:
        if (
            dependency.get("path")
            and dependency["kind"] != "dev"
            and workspace.version() not in dependency["req"]
        ):
            raise Failed(
                f"{crate['name']} asks for {dependency['name']} {dependency['req']}, "
                f"not for {workspace.version()}"
            )


def verify(crates):
    """Builds the packages against each other, installs the program into an empty folder and
    runs the README with it."""
    folders = {crate["name"]: f"{crate['name']}-{crate['version']}" for crate in crates}
    patches = "".join(f'{name} = {{ path = "{folder}" }}\n' for name, folder in folders.items())
    members = ", ".join(f'"{folder}"' for folder in folders.values())
    manifest = f'[workspace]\nresolver = "3"\nmembers = [{members}]\n\n[patch.crates-io]\n{patches}'
    (UNPACKED / "Cargo.toml").write_text(manifest)
    shutil.copy("Cargo.lock", UNPACKED)
    env = {"CARGO_TARGET_DIR": workspace.BUILD.resolve()}
    forget_builds()
    cargo("build", "--release", "--workspace", "--quiet", cwd=UNPACKED, env=env)
    root = empty("target/release-program").resolve()
    program = folders[workspace.program()["name"]]
    cargo("install", "--quiet", "--no-track", "--path", program, "--root", root, cwd=UNPACKED, env=env)
    readme.shell(root / "bin" / ("lcca.exe" if os.name == "nt" else "lcca"))
