//! Temporary files and folders that a killed process has left behind.
//!
//! A process holds a lock on each temporary file that it writes. Because the system drops the lock when the
//! process ends, for any reason, a file without a lock belongs to no process, and the next process that
//! writes the same target removes it.

use super::place::folder_of;
use std::fs::{self, File};
use std::path::Path;

/// Locks a temporary file or folder. Returns whether it is still there, because another process may have
/// taken it for abandoned and removed it before it was locked. On a file system without locks nothing is
/// ever removed.
pub(crate) fn claim(file: &File, path: &Path) -> bool {
    let _ = file.try_lock();
    path.exists()
}

/// Removes the temporary files and folders that killed processes have left of this target.
pub(crate) fn remove_abandoned(target: &Path) {
    let Some(name) = target.file_name().map(|name| name.to_string_lossy().into_owned()) else { return };
    let Ok(entries) = fs::read_dir(folder_of(target)) else { return };
    for entry in entries.flatten() {
        let path = entry.path();
        if is_temporary_of(&name, &entry.file_name().to_string_lossy()) && is_unlocked(&path) {
            // Failing to remove it does no harm, so the error is ignored.
            let _ = if path.is_dir() { fs::remove_dir_all(&path) } else { fs::remove_file(&path) };
        }
    }
}

/// Whether `candidate` has the form `.NAME.PROCESS-NUMBER.part`.
fn is_temporary_of(name: &str, candidate: &str) -> bool {
    let middle = candidate
        .strip_prefix('.')
        .and_then(|rest| rest.strip_prefix(name))
        .and_then(|rest| rest.strip_prefix('.'));
    let numbers = middle.and_then(|rest| rest.strip_suffix(".part")).and_then(|rest| rest.split_once('-'));
    let is_number = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    numbers.is_some_and(|(process, number)| is_number(process) && is_number(number))
}

/// Whether this is a file or a folder that no process has locked. Pipes, devices and links are never
/// temporary files, and they must not be opened, because opening a pipe waits for its writer.
fn is_unlocked(path: &Path) -> bool {
    let is_ours = fs::symlink_metadata(path).is_ok_and(|facts| facts.is_file() || facts.is_dir());
    is_ours && File::open(path).is_ok_and(|file| file.try_lock().is_ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_temporaries_of_the_target_that_nobody_holds_are_removed() {
        let folder = tempfile::tempdir().unwrap();
        let path = |name: &str| folder.path().join(name);
        for name in [
            ".a.npy.12-0.part",
            ".a.npy.12-1.part",
            ".b.npy.12-0.part",
            ".a.npy.part",
            "a.npy.1-2.part",
            ".a.npy.x-1.part",
        ] {
            fs::write(path(name), "").unwrap();
        }
        fs::create_dir(path(".a.npy.7-0.part")).unwrap();
        let held = File::open(path(".a.npy.12-1.part")).unwrap();
        assert!(claim(&held, &path(".a.npy.12-1.part")));
        remove_abandoned(&path("a.npy"));
        let mut left: Vec<_> = fs::read_dir(folder.path())
            .unwrap()
            .map(|e| e.unwrap().file_name().into_string().unwrap())
            .collect();
        left.sort();
        assert_eq!(
            left,
            [".a.npy.12-1.part", ".a.npy.part", ".a.npy.x-1.part", ".b.npy.12-0.part", "a.npy.1-2.part"]
        );
    }
}
