//! Tells encrypted files from broken ones, after a file could not be read.
//!
//! An encrypted footer ends in letters of its own. A plain footer of encrypted columns has a field that
//! names the cipher.

use super::thrift::{Counted, skip, zigzag};
use crate::error::Fault;
use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom};

/// Returns the fault or, if the file is encrypted, one that says so.
pub(super) fn explained(file: &File, fault: Fault) -> Fault {
    match fault {
        Fault::Bad { .. } if is_encrypted(file).unwrap_or(false) => Fault::new(
            "is an encrypted Parquet file, expected a plain one: read it with its keys and write it again \
             without encryption",
        ),
        other => other,
    }
}

fn is_encrypted(mut file: &File) -> io::Result<bool> {
    const TAIL: i64 = 8;
    let end = file.seek(SeekFrom::End(-TAIL))?;
    let mut tail = [0; TAIL as usize];
    file.read_exact(&mut tail)?;
    let [a, b, c, d, magic @ ..] = tail;
    match &magic {
        b"PARE" => Ok(true),
        b"PAR1" => {
            let len = u64::from(u32::from_le_bytes([a, b, c, d]));
            file.seek(SeekFrom::Start(end.saturating_sub(len)))?;
            names_a_cipher(io::BufReader::new(file).take(len))
        }
        _ => Ok(false),
    }
}

/// Whether the description of a file has the field `encryption_algorithm`.
fn names_a_cipher(footer: impl Read) -> io::Result<bool> {
    const CIPHER: i64 = 8;
    let mut from = Counted::new(footer);
    let mut field = 0;
    loop {
        let head = from.byte()?;
        if head == 0 {
            return Ok(false);
        }
        field = match head >> 4 {
            0 => zigzag(from.varint()?),
            delta => i64::from(delta) + field,
        };
        if field == CIPHER {
            return Ok(true);
        }
        skip(&mut from, head & 15, 0)?;
    }
}
