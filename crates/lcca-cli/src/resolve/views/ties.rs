//! The order of equally frequent columns.

use crate::args::views::TieChoice;
use lcca_io::views::Ties;

pub fn ties(typed: TieChoice) -> Ties {
    match typed {
        TieChoice::Name => Ties::Name,
        TieChoice::First => Ties::First,
    }
}
