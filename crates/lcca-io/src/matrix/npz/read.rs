//! Reads the layout and the shape, then the layout's arrays.

use super::archive::Archive;
use crate::error::{Fault, Outcome};
use crate::matrix::assemble::Assembled;
use crate::matrix::layouts::{self, Compressed, Coordinates};
use crate::matrix::missing::Filling;
use lcca::matrix::Owner;

pub(crate) fn read(owner: Owner, filling: Filling<'_>) -> Outcome<Assembled> {
    let mut archive = Archive::open(owner)?;
    let layout = archive.text("format")?;
    let (rows, cols) = shape(&mut archive)?;
    match layout.as_str() {
        "csr" => layouts::csr(rows, cols, &compressed(&mut archive)?, filling),
        "csc" => layouts::csc(rows, cols, &compressed(&mut archive)?, filling),
        "coo" => layouts::coo(rows, cols, &coordinates(&mut archive)?, filling),
        other => {
            let message = format!("is in SciPy's layout {other:?}, expected csr, csc or coo: save it as csr");
            Err(Fault::new(message).within("format"))
        }
    }
}

fn shape(archive: &mut Archive) -> Outcome<(usize, usize)> {
    let sizes = archive.numbers("shape")?.sizes().map_err(|fault| fault.within("shape"))?;
    let [rows, cols] = sizes[..] else {
        return Err(Fault::new(format!("has {} sizes, expected 2", sizes.len())).within("shape"));
    };
    layouts::check_shape(rows, cols)?;
    Ok((rows, cols))
}

fn compressed(archive: &mut Archive) -> Outcome<Compressed> {
    let data = archive.numbers("data")?;
    Ok(Compressed { indptr: archive.numbers("indptr")?, indices: archive.numbers("indices")?, data })
}

fn coordinates(archive: &mut Archive) -> Outcome<Coordinates> {
    let data = archive.numbers("data")?;
    Ok(Coordinates { row: archive.numbers("row")?, col: archive.numbers("col")?, data })
}
