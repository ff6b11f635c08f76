//! Checks what remains of the files of a stopped program. This test is alone in its process, because it
//! removes all unfinished files of the process.

use lcca_io::{Output, remove_unfinished};
use std::fs;
use std::io::Write;

#[test]
fn a_stopped_program_leaves_no_files_and_cannot_commit_later() {
    let folder = tempfile::tempdir().unwrap();
    let (done, open) = (folder.path().join("done"), folder.path().join("open"));
    Output::create(&done).unwrap().commit().unwrap();
    let mut output = Output::create(&open).unwrap();
    output.write_all(b"half").unwrap();
    remove_unfinished();
    let names: Vec<_> =
        fs::read_dir(folder.path()).unwrap().map(|entry| entry.unwrap().file_name()).collect();
    assert_eq!(names, ["done"]);
    let error = output.commit().unwrap_err().to_string();
    assert!(error.contains("was not written"), "{error}");
    assert!(done.exists() && !open.exists());
}
