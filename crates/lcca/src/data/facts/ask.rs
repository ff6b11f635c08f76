//! The request of a pass: panels to multiply the rows with, and panels to add the products into.

use crate::matrix::{Line, Panel};
use crate::side::{Shape, Side};

/// The panel multiplied with one view's rows: z = Wᵀx − offset, row by row.
#[derive(Clone, Copy)]
pub struct Source<'a> {
    /// W, p×k.
    pub panel: &'a Panel,
    /// Subtracted from every z; `None` is zero. One row of a k-column panel.
    pub offset: Option<&'a [Line]>,
}

/// Any subset of the four products of a pass.
///
/// ```
/// use lcca::data::{Ask, InMemory, Pair, Side};
/// use lcca::matrix::{OneHotRows, Panel};
///
/// let x = OneHotRows::new(3, vec![0, 2, 2].into())?;
/// let y = OneHotRows::new(2, vec![1, 0, 1].into())?;
/// let pair = InMemory::new(x.into(), y.into())?;
/// let w = Panel::from_fn(3, 1, |i, _| (i + 1) as f64);
/// let (mut xx, mut yx) = (Panel::zeros(3, 1), Panel::zeros(2, 1));
/// pair.pass(&mut Ask::new().source(Side::X, &w).to(Side::X, &mut xx).to(Side::Y, &mut yx))?;
/// assert_eq!([xx.row(0), xx.row(1), xx.row(2)], [[1.0], [0.0], [6.0]]); // XᵀX·w
/// assert_eq!([yx.row(0), yx.row(1)], [[3.0], [4.0]]); // YᵀX·w
/// # Ok::<(), lcca::Error>(())
/// ```
#[derive(Default)]
pub struct Ask<'a> {
    sources: [Option<Source<'a>>; 2],
    /// `targets[target][source]`
    targets: [[Option<&'a mut Panel>; 2]; 2],
    last: usize,
}

impl<'a> Ask<'a> {
    /// Requests nothing yet.
    pub fn new() -> Self {
        Ask::default()
    }

    /// Multiplies `side`'s rows with `panel`; say with [`Ask::to`] where the products go.
    pub fn source(self, side: Side, panel: &'a Panel) -> Self {
        self.shifted_source(side, Source { panel, offset: None })
    }

    /// As [`Ask::source`], with an offset subtracted from every z.
    pub fn shifted_source(mut self, side: Side, source: Source<'a>) -> Self {
        self.sources[side as usize] = Some(source);
        self.last = side as usize;
        self
    }

    /// Adds (`target`'s rows)ᵀ·z into `out`, with z the products of the latest source.
    pub fn to(mut self, target: Side, out: &'a mut Panel) -> Self {
        self.targets[target as usize][self.last] = Some(out);
        self
    }

    /// The panel that `side`'s rows are multiplied with.
    pub fn source_of(&self, side: Side) -> Option<Source<'a>> {
        self.sources[side as usize]
    }

    /// Whether any product of `source` is requested.
    pub fn wants(&self, source: Side) -> bool {
        self.targets.iter().any(|from| from[source as usize].is_some())
    }

    /// Whether the product of `source` with `target`'s rows is requested.
    pub fn wants_product(&self, target: Side, source: Side) -> bool {
        self.targets[target as usize][source as usize].is_some()
    }

    /// The panel that takes (`target`'s rows)ᵀ·z of `source`.
    pub fn target(&mut self, target: Side, source: Side) -> Option<&mut Panel> {
        self.targets[target as usize][source as usize].as_deref_mut()
    }

    /// All panels that take products, `[target][source]`.
    pub(in crate::data) fn targets_mut(&mut self) -> [[Option<&mut Panel>; 2]; 2] {
        self.targets.each_mut().map(|from| from.each_mut().map(|out| out.as_deref_mut()))
    }

    /// A copy of the request with a shorter lifetime, which a wrapper can change.
    pub fn reborrow(&mut self) -> Ask<'_> {
        let (sources, last) = (self.sources, self.last);
        Ask { sources, targets: self.targets_mut(), last }
    }

    /// Checks the request against the pair.
    ///
    /// # Panics
    /// If a panel does not fit the pair.
    pub fn assert_fits(&self, shape: Shape) {
        for source in Side::BOTH.into_iter().filter(|&s| self.wants(s)) {
            let Some(Source { panel, offset }) = self.source_of(source) else {
                panic!("a product of {source} is asked for, but no panel to multiply {source} with is given");
            };
            assert_eq!(panel.rows(), shape.cols(source), "rows of the panel against columns of {source}");
            if let Some(offset) = offset {
                assert_eq!(
                    offset.len(),
                    panel.lines_per_row(),
                    "lines of the offset against lines of the panel"
                );
            }
            for target in Side::BOTH {
                if let Some(out) = &self.targets[target as usize][source as usize] {
                    let expected = (shape.cols(target), panel.cols());
                    assert_eq!(
                        (out.rows(), out.cols()),
                        expected,
                        "shape of the product of {source} with {target}"
                    );
                }
            }
        }
    }
}
