//! Ordinary memory, with panels in double precision.

use super::host_pass::host_pass;
use super::single::Single;
use super::{RowFactors, Space, Tall};
use crate::data::Counting;
use crate::error::Result;
use crate::matrix::Panel;
use crate::panels;
use faer::{Mat, MatRef};

/// Ordinary memory.
pub struct Host;

impl Host {
    fn tall(panel: Panel) -> Tall {
        Tall::new(panel.rows(), panel.cols(), Box::new(panel))
    }

    fn panel(tall: &Tall) -> &Panel {
        tall.storage()
    }

    fn panels<'t>(talls: &[&'t Tall]) -> Vec<&'t Panel> {
        talls.iter().map(|tall| Host::panel(tall)).collect()
    }
}

impl Space for Host {
    fn single(&self) -> Option<&dyn Space> {
        Some(&Single)
    }

    fn holds(&self, panel: &Tall) -> bool {
        panel.is_stored_as::<Panel>()
    }

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
        let sources = sources.map(|source| source.map(Host::panel));
        host_pass(pair, sources, targets.map(|row| row.map(|out| out.map(Tall::storage_mut))))
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
        if m.nrows() == m.ncols() {
            panels::turn_columns(w.storage_mut(), 0, m);
        } else {
            *w = Host::tall(panels::times(Host::panel(w), m));
        }
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
