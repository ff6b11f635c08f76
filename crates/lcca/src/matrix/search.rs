//! Looking through many numbers for one that does not belong.

use super::Packed;
use rayon::prelude::*;

/// Numbers a thread looks through before it asks whether another has already found one.
pub const GRAIN: usize = 1 << 14;

/// The first place below `len` that is wanted.
pub fn first_place(len: usize, wanted: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let grains = (0..len.div_ceil(GRAIN)).into_par_iter();
    grains.find_map_first(|grain| (grain * GRAIN..len.min((grain + 1) * GRAIN)).find(|&at| wanted(at)))
}

/// The first number that is wanted.
pub fn first<T: Copy>(numbers: &[Packed<T>], wanted: impl Fn(T) -> bool + Sync) -> Option<usize>
where
    Packed<T>: Sync,
{
    // Looking at a whole grain without stopping lets the compiler take many numbers at a time.
    let any = |grain: &[Packed<T>]| grain.iter().fold(false, |any, number| any | wanted(number.get()));
    let grain = numbers.par_chunks(GRAIN).position_first(any)?;
    let rest = numbers[grain * GRAIN..].iter();
    Some(grain * GRAIN + rest.into_iter().position(|number| wanted(number.get()))?)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Buffer;

    #[test]
    fn the_first_of_several_is_found_wherever_it_is() {
        let len = 3 * GRAIN + 5;
        for at in [0, 1, GRAIN - 1, GRAIN, 2 * GRAIN + 7, len - 1] {
            let numbers: Buffer<i32> = (0..len).map(|i| i32::from(i >= at)).collect::<Vec<_>>().into();
            assert_eq!(first(numbers.as_slice(), |number| number == 1), Some(at));
            assert_eq!(first_place(len, |place| place >= at), Some(at));
            assert_eq!(first(numbers.as_slice(), |number| number == 2), None);
        }
        assert_eq!((first_place(0, |_| true), first::<u8>(&[], |_| true)), (None, None));
    }
}
