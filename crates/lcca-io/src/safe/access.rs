//! Permissions of a file that replaces another: they stay those of the old file.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file of a new name. If it will replace another, it gets the permissions of that one before
/// anything is written to it, so that a private file is never readable by others.
pub(crate) fn create_file(path: &Path, replaced: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let Some(replaced) = replaced else { return options.open(path) };
    system::hide(&mut options);
    let file = options.open(path)?;
    system::pass_on(&file, replaced, 0).map(|()| file).inspect_err(|_| {
        // The caller gets the first failure, so a second one is ignored.
        let _ = fs::remove_file(path);
    })
}

/// Gives a new folder the permissions of the one that it will replace, except that its owner may always
/// write to it.
pub(crate) fn pass_on_to_folder(folder: &Path, replaced: &Metadata) {
    // Some systems cannot open folders. They have no such permissions either, so the failure is ignored.
    let _ = File::open(folder).and_then(|folder| system::pass_on(&folder, replaced, 0o700));
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};

    /// Creates the file so that only its owner can open it.
    pub fn hide(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    /// Read, write and execute permissions. Other bits mean something only to the owner of the old file.
    const PERMISSIONS: u32 = 0o777;
    /// The read, write and execute permissions of the file's group.
    const GROUP: u32 = 0o070;

    pub fn pass_on(file: &File, replaced: &Metadata, at_least: u32) -> io::Result<()> {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (replaced.uid(), replaced.gid()) {
            // Only the superuser can give files away, so for others the file keeps its owner. A member of a
            // group can give a file to that group.
            let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()))
                .or_else(|_| fchown(file, None, Some(replaced.gid())));
        }
        let same_group = file.metadata()?.gid() == replaced.gid();
        file.set_permissions(Permissions::from_mode(passed_on(replaced.mode(), same_group) | at_least))
    }

    /// The permissions of a file that replaces one of this mode. If the group differs, its permissions are
    /// dropped, because they were meant for the old group only.
    fn passed_on(mode: u32, same_group: bool) -> u32 {
        mode & if same_group { PERMISSIONS } else { PERMISSIONS & !GROUP }
    }

    #[cfg(test)]
    mod tests {
        use super::passed_on;

        #[test]
        fn another_group_gets_nothing() {
            assert_eq!([passed_on(0o100_664, true), passed_on(0o100_664, false)], [0o664, 0o604]);
            assert_eq!([passed_on(0o100_640, false), passed_on(0o100_600, false)], [0o600, 0o600]);
        }
    }
}

#[cfg(not(unix))]
mod system {
    use std::fs::{File, Metadata, OpenOptions};
    use std::io;

    pub fn hide(_: &mut OpenOptions) {}

    /// Files inherit the permissions of their folder here.
    pub fn pass_on(_: &File, _: &Metadata, _: u32) -> io::Result<()> {
        Ok(())
    }
}
