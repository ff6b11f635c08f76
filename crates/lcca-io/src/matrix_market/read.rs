//! Reading: the header decides between a list of entries and an array of all values.

use super::header::Header;
use super::{array, coordinate};
use crate::assemble::Assembled;
use crate::error::Outcome;
use crate::text::Text;

pub(crate) fn read(mut text: Text) -> Outcome<Assembled> {
    let header = Header::read(&mut text)?;
    if header.coordinate { coordinate::read(text, header) } else { array::read(text, header) }
}
