//! A pass in ordinary memory, which the rows compute themselves.

use crate::data::{Ask, Counting, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;

/// Replaces the given `targets[target][source]` by the products of `sources`.
pub(super) fn host_pass(
    pair: &Counting<'_>,
    sources: [Option<&Panel>; 2],
    targets: [[Option<&mut Panel>; 2]; 2],
) -> Result<()> {
    let mut by_source: [Vec<(Side, &mut Panel)>; 2] = Default::default();
    for (target, row) in Side::BOTH.into_iter().zip(targets) {
        for (outputs, panel) in by_source.iter_mut().zip(row) {
            if let Some(panel) = panel {
                panel.clear();
                outputs.push((target, panel));
            }
        }
    }
    let mut ask = Ask::new();
    for ((side, source), outputs) in Side::BOTH.into_iter().zip(sources).zip(by_source) {
        if let Some(source) = source {
            ask = ask.source(side, source);
            ask = outputs.into_iter().fold(ask, |ask, (target, panel)| ask.to(target, panel));
        }
    }
    pair.pass(&mut ask)
}
