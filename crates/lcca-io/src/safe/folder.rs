//! Folders that appear whole or not at all. Their files are written to a hidden folder beside the target,
//! which is then renamed.

use super::abandoned::{claim, remove_abandoned};
use super::access;
use super::atomic::{self, begin_beside, sync_folder};
use super::place::folder_of;
use crate::error::{Fault, Outcome, Result};
use std::fs::{self, File};
use std::path::{Path, PathBuf};

/// A folder that is being written. Dropping it without [`OutputFolder::commit`] leaves nothing behind.
#[derive(Debug)]
pub struct OutputFolder {
    target: PathBuf,
    temporary: PathBuf,
    /// Holds the lock that marks the folder as in use, so that other processes do not remove it.
    _claim: Option<File>,
}

impl OutputFolder {
    /// Begins a folder that will appear at `path`. A folder that exists there must be empty.
    pub fn create(path: &Path) -> Result<Self> {
        Self::begin(path).map_err(|fault| fault.at(path))
    }

    fn begin(path: &Path) -> Outcome<Self> {
        check_free(path)?;
        atomic::check_folder(folder_of(path))?;
        remove_abandoned(path);
        // Some systems cannot open folders, so there is no file to lock either.
        let create = |path: &Path| fs::create_dir(path).map(|()| File::open(path).ok());
        let held = |folder: &Option<File>, path: &Path| folder.as_ref().is_none_or(|file| claim(file, path));
        let (temporary, opened) = begin_beside(path, create, held)?;
        if let Ok(replaced) = fs::metadata(path) {
            access::pass_on_to_folder(&temporary, &replaced);
        }
        Ok(OutputFolder { target: path.into(), temporary, _claim: opened })
    }

    /// Where to write the file of this name until the folder is put in place.
    pub fn path(&self, name: &str) -> PathBuf {
        self.temporary.join(name)
    }

    /// Puts the folder in place.
    pub fn commit(self) -> Result<()> {
        self.put_in_place().map_err(|fault| fault.at(&self.target))
    }

    fn put_in_place(&self) -> Outcome<()> {
        sync_folder(&self.temporary);
        let mut unfinished = atomic::registry();
        if !unfinished.contains(&self.temporary) {
            return Err(Fault::new("was not written: the program is being stopped"));
        }
        check_free(&self.target)?;
        fs::rename(&self.temporary, &self.target)?;
        unfinished.remove(&self.temporary);
        drop(unfinished);
        sync_folder(folder_of(&self.target));
        Ok(())
    }
}

impl Drop for OutputFolder {
    fn drop(&mut self) {
        if atomic::registry().remove(&self.temporary) {
            // A destructor cannot report a failure, so it is ignored.
            let _ = fs::remove_dir_all(&self.temporary);
        }
    }
}

/// Refuses a path that is taken, because it may hold the user's work. Only an empty folder is accepted.
fn check_free(path: &Path) -> Outcome<()> {
    match fs::read_dir(path).map(|mut entries| entries.next().is_none()) {
        Ok(true) => Ok(()),
        Ok(_) => Err(Fault::new("exists and is not empty, expected a new folder")),
        Err(_) if fs::symlink_metadata(path).is_ok() => Err(Fault::new("exists, expected a new folder")),
        Err(_) => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_appears_whole_or_not_at_all() {
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("views");
        let folder = OutputFolder::create(&target).unwrap();
        fs::write(folder.path("a"), "1").unwrap();
        assert!(!target.exists());
        drop(folder);
        assert_eq!(fs::read_dir(parent.path()).unwrap().count(), 0);
        let folder = OutputFolder::create(&target).unwrap();
        fs::write(folder.path("a"), "2").unwrap();
        folder.commit().unwrap();
        assert_eq!(
            (fs::read(target.join("a")).unwrap(), fs::read_dir(parent.path()).unwrap().count()),
            (b"2".to_vec(), 1)
        );
    }

    #[cfg(unix)]
    #[test]
    fn a_private_folder_stays_private() {
        use std::os::unix::fs::PermissionsExt;
        let parent = tempfile::tempdir().unwrap();
        let target = parent.path().join("views");
        fs::create_dir(&target).unwrap();
        fs::set_permissions(&target, fs::Permissions::from_mode(0o700)).unwrap();
        OutputFolder::create(&target).unwrap().commit().unwrap();
        assert_eq!(fs::metadata(&target).unwrap().permissions().mode() & 0o777, 0o700);
    }

    #[test]
    fn existing_files_and_folders_stay() {
        let parent = tempfile::tempdir().unwrap();
        fs::create_dir(parent.path().join("empty")).unwrap();
        OutputFolder::create(&parent.path().join("empty")).unwrap().commit().unwrap();
        fs::write(parent.path().join("file"), "old").unwrap();
        for (name, message) in
            [("file", "exists, expected a new folder"), ("", "not empty"), ("no/where", "does not exist")]
        {
            let error = OutputFolder::create(&parent.path().join(name)).unwrap_err();
            assert!(error.to_string().contains(message) && !error.is_machine_failure(), "{error}");
        }
    }
}
