//! Where the tall panels of the default method live, and everything that is done to them there.
//!
//! LOBPCG works with blocks of p×m panels, one per view, and m×m matrices. The small matrices are always on the host.
//! The panels are behind [`Space`]: an accelerator that holds its own panels implements this trait, and the loop does not
//! change. [`Host`] keeps them in ordinary memory. [`Placed`] rows bring the space in which a fit to them keeps its panels.

pub mod laws;
mod placed;

pub(crate) use placed::beside;
pub use placed::{Placed, of, place};

use crate::data::{Ask, Counting, Pair, Side};
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use faer::{Mat, MatRef};
use std::any::Any;

/// A tall panel in some space. Only the space that made it can look inside.
pub struct Tall {
    rows: usize,
    cols: usize,
    storage: Box<dyn Any + Send + Sync>,
}

impl Tall {
    /// A panel with whatever storage a space uses.
    pub fn new(rows: usize, cols: usize, storage: Box<dyn Any + Send + Sync>) -> Self {
        Tall { rows, cols, storage }
    }

    /// Rows.
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub fn cols(&self) -> usize {
        self.cols
    }

    /// The storage.
    ///
    /// # Panics
    /// If the panel lives in another space. That is a broken contract.
    pub fn storage<T: 'static>(&self) -> &T {
        self.storage.downcast_ref().expect("a panel is used in the space that made it")
    }

    /// The storage, to change it.
    ///
    /// # Panics
    /// If the panel lives in another space. That is a broken contract.
    pub fn storage_mut<T: 'static>(&mut self) -> &mut T {
        self.storage.downcast_mut().expect("a panel is used in the space that made it")
    }
}

/// One number per row of a panel, in some space.
pub struct RowFactors(pub Box<dyn Any + Send + Sync>);

impl RowFactors {
    /// # Panics
    /// If the numbers live in another space. That is a broken contract.
    pub fn storage<T: 'static>(&self) -> &T {
        self.0.downcast_ref().expect("factors are used in the space that made them")
    }
}

/// (B − A) on chosen columns: what a coarse block is made of.
pub struct ChosenBlock<'a> {
    /// The columns of each view, ascending.
    pub columns: [&'a [u32]; 2],
    /// 1/√ of the diagonal of B for each of them, those of X first. The block is scaled by it to a unit diagonal.
    pub scale: &'a [f64],
    /// The views whose B is a multiple of I: their columns are orthogonal.
    pub identities: [bool; 2],
    /// Added to the unit diagonal.
    pub epsilon: f64,
}

/// The inverse of a chosen block in some space.
pub trait BlockInverse: Send + Sync {
    /// R ← M⁻¹R: this inverse for the chosen rows, `outside` for the others. Returns rᵀM⁻¹r over the chosen rows for each
    /// pair.
    fn apply(&self, outside: &[RowFactors; 2], x: &mut Tall, y: &mut Tall) -> Result<Vec<f64>>;
}

/// What became of a chosen block.
pub enum Inverted {
    /// The space can invert it.
    Here(Box<dyn BlockInverse>),
    /// It is singular, or does not fit the memory.
    No,
    /// The space leaves that to the host.
    OnHost,
}

/// The operations of the default method on tall panels.
pub trait Space: Send + Sync {
    /// Moves a panel here.
    fn upload(&self, panel: Panel) -> Result<Tall>;

    /// A copy of a panel on the host.
    fn download(&self, panel: &Tall) -> Result<Panel>;

    /// Moves a panel to the host.
    fn take(&self, panel: Tall) -> Result<Panel> {
        self.download(&panel)
    }

    /// Changes a panel on the host. Its shape stays the same.
    fn change_on_host(
        &self,
        panel: &mut Tall,
        change: &mut dyn FnMut(&mut Panel) -> Result<()>,
    ) -> Result<()>;

    /// Moves one number per row here.
    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors>;

    /// A panel of zeros.
    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall>;

    /// One pass over the rows of `pair`, which is counted: replaces the given `targets[target][source]` by the products of
    /// `sources`.
    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()>;

    /// out ← out + factor·a.
    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()>;

    /// [A₁ A₂ …]ᵀ[B₁ B₂ …].
    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>>;

    /// [A₁ A₂ …]ᵀ[B₁ B₂ …] that is symmetric but for rounding: only half of it need be computed.
    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>>;

    /// W ← W·M.
    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()>;

    /// P ← T·Ct + P·Cp and W ← W·Cw + P for coefficients [Cw, Ct, Cp]. If Cp has no rows, P counts as zero.
    fn advance(&self, w: &mut Tall, p: &mut Tall, t: &Tall, coefficients: [MatRef<'_, f64>; 3])
    -> Result<()>;

    /// `out[:, j] ← a[:, j] − factors[j]·b[:, j]`.
    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()>;

    /// `a[i, :] ← factors[i]·a[i, :]`.
    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()>;

    /// `Σᵢ weights[i]·a[i, j]²` for every column j.
    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>>;

    /// `Σⱼ a[i, j]²` for every row i.
    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>>;

    /// Some of the columns, in the given order.
    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall>;

    /// A copy of some rows on the host, in the given order.
    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel>;

    /// Replaces some rows.
    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()>;

    /// Forms and inverts B − A on chosen columns of `pair`, if the space can. By default the host does.
    fn invert(&self, _pair: &Counting<'_>, _block: &ChosenBlock<'_>) -> Result<Inverted> {
        Ok(Inverted::OnHost)
    }

    /// The lower triangle of [X Y]ᵀ[X Y] of a pair of few columns, if the space can form it. By default the host does.
    fn dense_gram(&self, _pair: &Counting<'_>) -> Result<Option<Mat<f64>>> {
        Ok(None)
    }
}

/// Ordinary memory.
pub struct Host;

impl Host {
    fn tall(panel: Panel) -> Tall {
        Tall { rows: panel.rows(), cols: panel.cols(), storage: Box::new(panel) }
    }

    fn panel(tall: &Tall) -> &Panel {
        tall.storage()
    }

    fn panels<'t>(talls: &[&'t Tall]) -> Vec<&'t Panel> {
        talls.iter().map(|tall| Host::panel(tall)).collect()
    }
}

impl Space for Host {
    fn upload(&self, panel: Panel) -> Result<Tall> {
        Ok(Host::tall(panel))
    }

    fn download(&self, panel: &Tall) -> Result<Panel> {
        Ok(Host::panel(panel).clone())
    }

    fn take(&self, panel: Tall) -> Result<Panel> {
        Ok(*panel.storage.downcast().expect("a panel is used in the space that made it"))
    }

    fn change_on_host(
        &self,
        panel: &mut Tall,
        change: &mut dyn FnMut(&mut Panel) -> Result<()>,
    ) -> Result<()> {
        change(panel.storage_mut())
    }

    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors> {
        Ok(RowFactors(Box::new(factors)))
    }

    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall> {
        Ok(Host::tall(Panel::zeros(rows, cols)))
    }

    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        let mut ask = Ask::new();
        let mut by_source: [Vec<(Side, &mut Panel)>; 2] = Default::default();
        for (target, row) in Side::BOTH.into_iter().zip(targets) {
            for (outputs, tall) in by_source.iter_mut().zip(row) {
                if let Some(tall) = tall {
                    let panel: &mut Panel = tall.storage_mut();
                    panel.clear();
                    outputs.push((target, panel));
                }
            }
        }
        for ((side, source), outputs) in Side::BOTH.into_iter().zip(sources).zip(by_source) {
            if let Some(source) = source {
                ask = ask.source(side, Host::panel(source));
                ask = outputs.into_iter().fold(ask, |ask, (target, panel)| ask.to(target, panel));
            }
        }
        pair.pass(&mut ask)
    }

    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()> {
        panels::add_scaled(out.storage_mut(), factor, Host::panel(a));
        Ok(())
    }

    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        Ok(panels::block_cross(&Host::panels(a), &Host::panels(b)))
    }

    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        Ok(panels::symmetric_block_cross(&Host::panels(a), &Host::panels(b)))
    }

    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()> {
        *w = Host::tall(panels::times(Host::panel(w), m));
        Ok(())
    }

    fn advance(
        &self,
        w: &mut Tall,
        p: &mut Tall,
        t: &Tall,
        [cw, ct, cp]: [MatRef<'_, f64>; 3],
    ) -> Result<()> {
        panels::advance(w.storage_mut(), p.storage_mut(), Host::panel(t), cw, ct, cp);
        // The rank may have fallen, and with it the columns.
        (w.cols, p.cols) = (cw.ncols(), cw.ncols());
        Ok(())
    }

    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()> {
        panels::difference_into(out.storage_mut(), Host::panel(a), factors, Host::panel(b));
        Ok(())
    }

    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()> {
        panels::scale_rows(a.storage_mut(), factors.storage::<Vec<f64>>());
        Ok(())
    }

    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>> {
        let (panel, weights) = (Host::panel(a), weights.storage::<Vec<f64>>());
        Ok(panels::weighted_column_dots(panel, panel, |i| weights[i]))
    }

    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>> {
        Ok(panels::row_squares(Host::panel(a)))
    }

    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall> {
        Ok(Host::tall(panels::select(Host::panel(a), columns)))
    }

    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel> {
        let (panel, mut out) = (Host::panel(a), Panel::zeros(rows.len(), a.cols()));
        rows.iter().enumerate().for_each(|(i, &row)| out.row_mut(i).copy_from_slice(panel.row(row as usize)));
        Ok(out)
    }

    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()> {
        let panel: &mut Panel = a.storage_mut();
        rows.iter()
            .enumerate()
            .for_each(|(i, &row)| panel.row_mut(row as usize).copy_from_slice(values.row(i)));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::{random_panel, relative_error};

    #[test]
    fn a_panel_comes_back_as_it_was_sent() {
        let panel = random_panel(20, 3, 1);
        let tall = Host.upload(panel.clone()).unwrap();
        assert_eq!((tall.rows(), tall.cols()), (20, 3));
        assert_eq!(Host.download(&tall).unwrap(), panel);
    }

    #[test]
    fn advancing_to_fewer_columns_is_known_to_the_panel() {
        let [mut w, mut p, t] = [1, 2, 3].map(|seed| Host.upload(random_panel(20, 4, seed)).unwrap());
        let [cw, ct, cp] = [4, 5, 6].map(|seed| random_panel(4, 2, seed));
        let expected = {
            let part = |panel: &Tall, c: &Panel| Host.download(panel).unwrap().as_mat() * c.as_mat();
            part(&w, &cw) + part(&t, &ct) + part(&p, &cp)
        };
        Host.advance(&mut w, &mut p, &t, [cw.as_mat(), ct.as_mat(), cp.as_mat()]).unwrap();
        assert_eq!((w.cols(), p.cols()), (2, 2));
        assert!(relative_error(Host.download(&w).unwrap().as_mat(), expected.as_ref()) < 1e-14);
    }

    #[test]
    #[should_panic(expected = "in the space that made it")]
    fn a_panel_of_another_space_is_a_broken_contract() {
        let foreign = Tall::new(2, 1, Box::new(7u8));
        let _ = Host.download(&foreign);
    }
}
