//! Who may use a file that replaces another: whoever could use the one before.

use std::fs::{self, File, Metadata, OpenOptions};
use std::io;
use std::path::Path;

/// Creates a file of a new name. If it will replace another, it is given the permissions of that one before
/// anything is written to it, so that a private file is never readable by others.
pub(crate) fn create_file(path: &Path, replaced: Option<&Metadata>) -> io::Result<File> {
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    let Some(replaced) = replaced else { return options.open(path) };
    system::hide(&mut options);
    let file = options.open(path)?;
    system::pass_on(&file, replaced, 0).map(|()| file).inspect_err(|_| {
        // The caller hears of the first failure.
        let _ = fs::remove_file(path);
    })
}

/// Gives a new folder the permissions of the one that it will replace, except that its owner may always write
/// to it.
pub(crate) fn pass_on_to_folder(folder: &Path, replaced: &Metadata) {
    // Some systems cannot open folders. Those have no such permissions either.
    let _ = File::open(folder).and_then(|folder| system::pass_on(&folder, replaced, 0o700));
}

#[cfg(unix)]
mod system {
    use std::fs::{File, Metadata, OpenOptions, Permissions};
    use std::io;
    use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt, fchown};

    /// Lets nobody else open the file that is created.
    pub fn hide(options: &mut OpenOptions) {
        options.mode(0o600);
    }

    /// Read, write and execute permissions; other bits mean something to the owner of the old file only.
    const PERMISSIONS: u32 = 0o777;
    /// Those of the file's group.
    const GROUP: u32 = 0o070;

    pub fn pass_on(file: &File, replaced: &Metadata, at_least: u32) -> io::Result<()> {
        let own = file.metadata()?;
        if (own.uid(), own.gid()) != (replaced.uid(), replaced.gid()) {
            // Only the superuser can give files away, and others keep theirs. Members of a group can give it
            // a file.
            let _ = fchown(file, Some(replaced.uid()), Some(replaced.gid()))
                .or_else(|_| fchown(file, None, Some(replaced.gid())));
        }
        let same_group = file.metadata()?.gid() == replaced.gid();
        file.set_permissions(Permissions::from_mode(passed_on(replaced.mode(), same_group) | at_least))
    }

    /// The permissions of a file that replaces one of this mode. What a group might do is not for another
    /// group to do.
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
