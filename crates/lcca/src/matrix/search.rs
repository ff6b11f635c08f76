//! Parallel searches through many numbers for the first one with a property.

use super::Packed;
use rayon::prelude::*;
use std::ops::Range;

/// The number of elements that a thread examines before it checks whether another thread has found an earlier
/// match. 16,384 elements take microseconds, long beside the check and short beside the search.
pub const GRAIN: usize = 1 << 14;

/// The number of entries that are checked at a time when a matrix is made. A caller that examines each
/// block as it arrives reads memory only once, because the columns and values of a block fit into a core's
/// own cache.
pub const BLOCK: usize = 1 << 16;

/// Calls `check` for blocks of [`BLOCK`] of the first `len` indices, in parallel, and returns an error if
/// there is one.
pub(super) fn in_blocks<E: Send>(
    len: usize,
    check: impl Fn(Range<usize>) -> Result<(), E> + Sync,
) -> Result<(), E> {
    let blocks = (0..len.div_ceil(BLOCK)).into_par_iter();
    blocks.try_for_each(|block| check(block * BLOCK..len.min((block + 1) * BLOCK)))
}

/// The first index below `len` for which `wanted` holds.
pub fn first_place(len: usize, wanted: impl Fn(usize) -> bool + Sync) -> Option<usize> {
    let grains = (0..len.div_ceil(GRAIN)).into_par_iter();
    grains.find_map_first(|grain| (grain * GRAIN..len.min((grain + 1) * GRAIN)).find(|&index| wanted(index)))
}

/// The index of the first number for which `wanted` holds.
pub fn first<T: Copy>(numbers: &[Packed<T>], wanted: impl Fn(T) -> bool + Sync) -> Option<usize>
where
    Packed<T>: Sync,
{
    let grain = numbers.par_chunks(GRAIN).position_first(|grain| {
        // A loop without an early exit can be vectorized. Only the grain with a match is searched element
        // by element.
        grain.iter().fold(false, |any, number| any | wanted(number.get()))
    })?;
    let position = numbers[grain * GRAIN..].iter().position(|number| wanted(number.get()))?;
    Some(grain * GRAIN + position)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::matrix::Buffer;

    #[test]
    fn the_first_of_several_matches_is_returned_at_any_position() {
        let len = 3 * GRAIN + 5;
        for index in [0, 1, GRAIN - 1, GRAIN, 2 * GRAIN + 7, len - 1] {
            let numbers: Buffer<i32> = (0..len).map(|i| i32::from(i >= index)).collect::<Vec<_>>().into();
            assert_eq!(first(numbers.as_slice(), |number| number == 1), Some(index));
            assert_eq!(first_place(len, |candidate| candidate >= index), Some(index));
            assert_eq!(first(numbers.as_slice(), |number| number == 2), None);
        }
        assert_eq!((first_place(0, |_| true), first::<u8>(&[], |_| true)), (None, None));
    }
}
