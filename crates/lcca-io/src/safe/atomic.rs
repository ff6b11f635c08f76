//! Files that appear whole or not at all. Each is written beside the target, synced, and renamed.

use super::abandoned::{claim, remove_abandoned};
use super::access;
use super::place::folder_of;
use crate::error::{Error, Fault, Outcome, Result};
use std::collections::BTreeSet;
use std::fs::{self, File};
use std::io::{self, BufWriter, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// The temporary files of this process that are neither committed nor removed.
static UNFINISHED: Mutex<BTreeSet<PathBuf>> = Mutex::new(BTreeSet::new());

const BUFFER_BYTES: usize = 1 << 20;

/// A file that is being written. Dropping it without [`Output::commit`] leaves the target as it was.
#[derive(Debug)]
pub struct Output {
    target: PathBuf,
    temporary: PathBuf,
    file: BufWriter<File>,
}

impl Output {
    /// Begins a file that will appear at `path`.
    pub fn create(path: &Path) -> Result<Self> {
        Self::begin(path).map_err(|fault| fault.at(path))
    }

    fn begin(path: &Path) -> Outcome<Self> {
        let target = final_target(path)?;
        remove_abandoned(&target);
        let replaced = fs::metadata(&target).ok();
        let create = |path: &Path| access::create_file(path, replaced.as_ref());
        let (temporary, file) = begin_beside(&target, create, claim)?;
        Ok(Output { target, temporary, file: BufWriter::with_capacity(BUFFER_BYTES, file) })
    }

    /// Puts the file in place. Once this returns, the whole file is there even if the machine stops.
    pub fn commit(mut self) -> Result<()> {
        self.put_in_place().map_err(|fault| fault.at(&self.target))
    }

    fn put_in_place(&mut self) -> Outcome<()> {
        self.file.flush()?;
        self.file.get_ref().sync_all()?;
        let mut unfinished = registry();
        if !unfinished.contains(&self.temporary) {
            return Err(Fault::new("was not written: the program is being stopped"));
        }
        fs::rename(&self.temporary, &self.target)?;
        unfinished.remove(&self.temporary);
        drop(unfinished);
        sync_folder(folder_of(&self.target));
        Ok(())
    }

    /// Where the file will appear.
    pub fn target(&self) -> &Path {
        &self.target
    }

    pub(crate) fn failed(&self, error: io::Error) -> Error {
        Fault::Io(error).at(&self.target)
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if registry().remove(&self.temporary) {
            // A destructor cannot report a failure, so it is ignored.
            let _ = fs::remove_file(&self.temporary);
        }
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.file.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

impl Seek for Output {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.file.seek(to)
    }
}

/// Removes every file and folder that this process has begun and not committed. A Ctrl-C handler calls this
/// just before it exits.
pub fn remove_unfinished() {
    remove_all(&mut registry());
}

/// Removes unfinished files and folders as [`remove_unfinished`] does, for a program that ends at any
/// point. If it is just beginning a file or putting one in place, everything stays, because waiting for
/// that could take forever.
pub fn remove_unfinished_at_once() {
    if let Ok(mut unfinished) = UNFINISHED.try_lock() {
        remove_all(&mut unfinished);
    }
}

fn remove_all(unfinished: &mut BTreeSet<PathBuf>) {
    while let Some(path) = unfinished.pop_first() {
        let _ = if path.is_dir() { fs::remove_dir_all(path) } else { fs::remove_file(path) };
    }
}

pub(crate) fn registry() -> MutexGuard<'static, BTreeSet<PathBuf>> {
    UNFINISHED.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The file to replace or to create. Links are followed, so that renaming replaces the file and not the
/// link to it. A link to a file that does not exist leads to where that file is created, as in a shell.
fn final_target(path: &Path) -> Outcome<PathBuf> {
    match fs::metadata(path) {
        Ok(facts) if facts.is_dir() => Err(Fault::new("is a folder, expected a file to write")),
        Ok(facts) if !facts.is_file() => Err(Fault::new("is not a regular file, expected one to write")),
        Ok(_) => Ok(fs::canonicalize(path)?),
        Err(error) => match fs::read_link(path) {
            Ok(to) if error.kind() == io::ErrorKind::NotFound => final_target(&folder_of(path).join(to)),
            Ok(_) => Err(Fault::new("is a link that cannot be followed, expected a file to write")),
            Err(_) => {
                check_folder(folder_of(path))?;
                Ok(path.to_path_buf())
            }
        },
    }
}

pub(crate) fn check_folder(folder: &Path) -> Outcome<()> {
    match fs::metadata(folder) {
        Ok(facts) if facts.is_dir() => Ok(()),
        Ok(_) => Err(Fault::new(format!("cannot be written: {} is not a folder", folder.display()))),
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            Err(Fault::new(format!("cannot be written: the folder {} does not exist", folder.display())))
        }
        Err(error) => Err(error.into()),
    }
}

fn cannot_create(error: io::Error) -> Fault {
    match error.kind() {
        io::ErrorKind::PermissionDenied | io::ErrorKind::ReadOnlyFilesystem => {
            Fault::new("cannot be written: no permission to create files in its folder")
        }
        _ => Fault::Io(error),
    }
}

/// Creates a file or folder of a new name beside the target, claims it, and notes it as unfinished.
pub(crate) fn begin_beside<T>(
    target: &Path,
    create: impl Fn(&Path) -> io::Result<T>,
    claim: impl Fn(&T, &Path) -> bool,
) -> Outcome<(PathBuf, T)> {
    loop {
        let temporary = temporary_beside(target)?;
        let mut unfinished = registry();
        match create(&temporary) {
            Ok(created) if claim(&created, &temporary) => {
                unfinished.insert(temporary.clone());
                return Ok((temporary, created));
            }
            Ok(_) => {}
            // A killed process with this number left the file on a file system without locks, so that
            // nothing shows that it is abandoned. Try the next name.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
            Err(error) => return Err(cannot_create(error)),
        }
    }
}

fn temporary_beside(target: &Path) -> Outcome<PathBuf> {
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let name =
        target.file_name().ok_or_else(|| Fault::new("is not a file name, expected a file to write"))?;
    let mut hidden = std::ffi::OsString::from(".");
    hidden.push(name);
    hidden.push(format!(".{}-{}.part", std::process::id(), COUNT.fetch_add(1, Ordering::Relaxed)));
    Ok(folder_of(target).join(hidden))
}

/// Syncs a folder. Some file systems cannot do that. Failures are ignored, because the file in it is synced
/// anyway.
pub(crate) fn sync_folder(folder: &Path) {
    let _ = File::open(folder).and_then(|folder| folder.sync_all());
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let mut names: Vec<_> =
            fs::read_dir(folder).unwrap().map(|e| e.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_commit_replaces_the_target_and_leaves_nothing_else() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        fs::write(&path, "old").unwrap();
        let mut output = Output::create(&path).unwrap();
        output.write_all(b"new").unwrap();
        assert_eq!(fs::read(&path).unwrap(), b"old");
        output.commit().unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"new".to_vec(), vec!["a.npy".into()]));
    }

    #[test]
    fn without_a_commit_the_target_is_untouched() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        fs::write(&path, "old").unwrap();
        Output::create(&path).unwrap().write_all(b"new").unwrap();
        assert_eq!((fs::read(&path).unwrap(), names(folder.path())), (b"old".to_vec(), vec!["a.npy".into()]));
    }

    #[cfg(unix)]
    #[test]
    fn a_link_stays_a_link() {
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        Output::create(&link).unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read(&file).unwrap(), b"");
    }

    #[cfg(unix)]
    #[test]
    fn a_link_to_nothing_is_where_the_file_is_made() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        fs::create_dir(path("disk")).unwrap();
        std::os::unix::fs::symlink("disk/file", path("near")).unwrap();
        std::os::unix::fs::symlink(path("near"), path("far")).unwrap();
        Output::create(&path("far")).unwrap().commit().unwrap();
        assert!(fs::symlink_metadata(path("near")).unwrap().is_symlink() && path("disk/file").is_file());
        for (name, to, message) in
            [("lost", "nowhere/file", "nowhere does not exist"), ("loop", "loop", "link")]
        {
            std::os::unix::fs::symlink(to, path(name)).unwrap();
            let error = Output::create(&path(name)).unwrap_err();
            assert!(error.to_string().contains(message) && !error.is_machine_failure(), "{error}");
        }
        assert_eq!(names(folder.path()), ["disk", "far", "loop", "lost", "near"]);
    }

    #[cfg(unix)]
    #[test]
    fn a_private_file_stays_private_and_is_so_from_the_first_byte() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let mode = |path: &Path| fs::metadata(path).unwrap().permissions().mode() & 0o777;
        for kept in [0o600, 0o640, 0o444, 0o666] {
            fs::write(&path, "old").unwrap();
            fs::set_permissions(&path, fs::Permissions::from_mode(kept)).unwrap();
            let output = Output::create(&path).unwrap();
            assert_eq!(mode(&output.temporary), kept);
            output.commit().unwrap();
            assert_eq!(mode(&path), kept);
            fs::remove_file(&path).unwrap();
        }
    }

    #[test]
    fn a_name_that_a_killed_process_has_left_is_passed_over() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("a.npy");
        let left = |path: &Path| match path.to_string_lossy().ends_with("0.part") {
            true => Err(io::Error::from(io::ErrorKind::AlreadyExists)),
            false => File::create_new(path),
        };
        for _ in 0..20 {
            let (temporary, _) = begin_beside(&path, left, claim).unwrap();
            assert!(registry().remove(&temporary) && temporary.exists());
        }
    }

    #[test]
    fn places_that_cannot_be_written_are_bad_input() {
        let folder = tempfile::tempdir().unwrap();
        let error = Output::create(&folder.path().join("missing/a.npy")).unwrap_err();
        assert!(error.to_string().contains("missing does not exist"), "{error}");
        assert!(!error.is_machine_failure());
        let error = Output::create(folder.path()).unwrap_err();
        assert!(error.to_string().contains("is a folder"), "{error}");
        fs::write(folder.path().join("file"), "").unwrap();
        let error = Output::create(&folder.path().join("file/a.npy")).unwrap_err();
        assert!(error.to_string().contains("is not a folder") && !error.is_machine_failure(), "{error}");
    }
}
