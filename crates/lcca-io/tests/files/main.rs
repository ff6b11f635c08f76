//! Files written and read back, damaged, or wrong to begin with.

mod bad_input;
mod damage;
mod model;
mod round_trip;
mod support;
