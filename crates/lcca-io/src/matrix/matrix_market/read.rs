//! Reading: the header decides between a list of entries and an array of all values.

use super::header::Header;
use super::{array, coordinate};
use crate::error::Outcome;
use crate::input::text::Text;
use crate::matrix::assemble::Assembled;
use crate::matrix::missing::Filling;

pub(crate) fn read(mut text: Text, filling: Filling<'_>) -> Outcome<Assembled> {
    let header = Header::read(&mut text)?;
    if header.coordinate {
        coordinate::read(text, header, filling)
    } else {
        array::read(text, header, filling)
    }
}
