//! The operations of the default method on tall panels, on a device.

use crate::dense::columns;
use crate::dense::crosses;
use crate::dense::panel::{FactorsOnDevice, PanelOnDevice, panel_of, scale_rows};
use crate::dense::tall::Coefficients;
use crate::error::{CudaError, unless_full};
use crate::gram::counted::CountedRows;
use crate::gram::dense_gram;
use crate::gram::gram_plan::Plan;
use crate::gram::sparse_gram::{self, FormedGrams};
use crate::gram::summed::Summed;
use crate::inverse;
use crate::kernels::File;
use crate::permute::deal::DealtOnDevice;
use crate::runtime::device::Device;
use crate::runtime::launch::{Argument, Launch};
use crate::runtime::room::Room;
use crate::scattered::home::Home;
use crate::scattered::sparse::bytes_in_place;
use faer::{Mat, MatRef};
use lcca::data::{Composition, Counting, InMemory, JointGram, Moments, Pair, Side};
use lcca::decompose::Decompose;
use lcca::error::Result;
use lcca::matrix::{Line, Matrix, Panel};
use lcca::space::{Advance, ChosenBlock, Dealing, Host, Inverted, Reduction, RowFactors, Space, Tall};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

/// The most copies of rows and Gram matrices that are kept.
const HOMES: usize = 2;
/// The least number of entries of both views for which the device counts columns sooner than the host.
const COUNTED: u64 = 1 << 24;

/// Factors of 20,000 columns and more take 3.3e13 operations per second on an H200, iterations with 200 pairs
/// 2.6e12. With 20 pairs these mostly wait.
const FACTOR_SPEED: f64 = 12.0;

/// A GPU as the home of panels.
pub struct Cuda {
    pub(crate) device: Arc<Device>,
    homes: Mutex<Vec<Arc<Home>>>,
    /// The Gram matrix that was formed with the last moments.
    summed: Mutex<Option<Arc<Summed>>>,
    /// The rows whose columns were counted last.
    counted: Mutex<Option<CountedRows>>,
    was_used: AtomicBool,
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

impl Cuda {
    /// Makes a space for panels on the given GPU, and for the rows or Gram matrices that passes read.
    pub fn new(device: Arc<Device>) -> Self {
        Cuda {
            device,
            homes: Mutex::default(),
            summed: Mutex::default(),
            counted: Mutex::default(),
            was_used: AtomicBool::new(false),
        }
    }

    /// The GPU.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Whether any rows or Gram matrices were read on the GPU.
    pub fn was_used(&self) -> bool {
        self.was_used.load(Relaxed)
    }

    /// Returns the device's copy of the rows or Gram matrices on which a pair is built. Returns `None` if
    /// `source` is neither.
    pub(crate) fn home(&self, source: &(dyn Any + Send + Sync)) -> Result<Option<Arc<Home>>> {
        // Counted rows were kept for their Gram matrix. If it was not formed next, they are dropped.
        drop(lock(&self.counted).take());
        if let Some(found) = lock(&self.homes).iter().find(|home| home.is_of(source)) {
            return Ok(Some(found.clone()));
        }
        make_place(&mut lock(&self.homes));
        // No lock is held during the copy, because a thread that waits for its helpers may take up other
        // work, which must not wait for that thread. Data that a fit still holds, for example Gram matrices
        // that were formed here, keeps its memory.
        let home = match Home::copy(&self.device, source) {
            Err(error) if CudaError::is_memory(&error) && !lock(&self.homes).is_empty() => {
                lock(&self.homes).clear();
                Home::copy(&self.device, source)?
            }
            copied => copied?,
        };
        let home = home.map(Arc::new);
        lock(&self.homes).extend(home.clone());
        self.was_used.fetch_or(home.is_some(), Relaxed);
        Ok(home)
    }

    /// Keeps Gram matrices that were formed here for the passes over them, if there is room for their sums.
    fn keep(&self, FormedGrams { joint, blocks }: FormedGrams) -> Result<JointGram> {
        let home = blocks.map(|blocks| Home::formed(&self.device, &joint, blocks));
        if let Some(Some(home)) = home.map(unless_full).transpose()? {
            let mut homes = lock(&self.homes);
            make_place(&mut homes);
            homes.push(Arc::new(home));
        }
        Ok(joint)
    }

    pub(crate) fn launch_each(
        &self,
        name: &'static str,
        count: u64,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        Ok(self.device.launch_each(name, File::Panel, count, arguments)?)
    }

    /// Forms the joint Gram matrix of sparse rows. Returns `None` if a view is not sparse, if the device
    /// has too little memory, or, with `if_it_pays`, if the host is quicker.
    pub(crate) fn joint_gram_here(
        &self,
        rows: &InMemory,
        limit: u64,
        if_it_pays: bool,
        after: sparse_gram::AfterStep<'_>,
    ) -> Result<Option<FormedGrams>> {
        let (counted, device) =
            (lock(&self.counted).take().filter(|counted| counted.is_of(rows)), &self.device);
        let (plan, present) = match &counted {
            Some(counted) => (Some(counted.plan), counted.bytes()),
            None => (Plan::new(rows), bytes_there(device, rows)),
        };
        after("count pairs")?;
        let is_wanted = |plan: &Plan| (plan.pays() || !if_it_pays) && plan.fits(device, present);
        let Some(plan) = plan.filter(is_wanted) else { return Ok(None) };
        let copied = counted.map(|counted| counted.views);
        let formed = sparse_gram::form(device, rows, &plan, copied, limit, after)?;
        self.was_used.fetch_or(formed.is_some(), Relaxed);
        Ok(formed)
    }

    /// Whether the rows that were counted last are all ones, one answer per view.
    pub(crate) fn counted_as_ones(&self) -> Option<[bool; 2]> {
        let counted = lock(&self.counted);
        counted.as_ref().map(|counted| counted.views.each_ref().map(|view| view.values().is_none()))
    }

    /// Counts the moments of rows of whole numbers, which stay here for their Gram matrix. Returns `None`
    /// if the host counts as quickly, or if the rows cannot be counted here.
    fn count(&self, rows: &InMemory) -> Result<Option<[Moments; 2]>> {
        let entries: u64 = Side::BOTH.iter().map(|&side| rows.view(side).entries()).sum();
        if entries < COUNTED { Ok(None) } else { self.count_here(rows) }
    }

    /// Counts the moments of rows of whole numbers, however few they are. Returns `None` if they cannot be
    /// counted here.
    pub(crate) fn count_here(&self, rows: &InMemory) -> Result<Option<[Moments; 2]>> {
        let present = bytes_there(&self.device, rows);
        let Some(plan) = Plan::new(rows).filter(|plan| plan.fits(&self.device, present)) else {
            return Ok(None);
        };
        match CountedRows::new(&self.device, rows, plan) {
            Ok(Some((moments, counted))) => {
                *lock(&self.counted) = Some(counted);
                Ok(Some(moments))
            }
            Ok(None) | Err(CudaError::Memory { .. }) => Ok(None),
            Err(error) => Err(error.into()),
        }
    }
}

/// The bytes of rows that already lie on the device.
fn bytes_there(device: &Device, rows: &InMemory) -> u64 {
    Side::BOTH.iter().map(|&side| bytes_in_place(device, rows.view(side))).sum()
}

/// Whether blocks of columns are formed here of the rows or Gram matrices on which a pair is built.
fn is_inverted(composition: &Composition<'_>) -> bool {
    match composition.home.downcast_ref::<InMemory>() {
        Some(rows) => !Side::BOTH.iter().any(|&side| matches!(rows.view(side), Matrix::Dense(_))),
        None => composition.home.is::<JointGram>(),
    }
}

/// Drops the oldest copy if there are as many as are kept.
fn make_place(homes: &mut Vec<Arc<Home>>) {
    if homes.len() >= HOMES {
        homes.remove(0);
    }
}

impl Space for Cuda {
    fn is_remote(&self) -> bool {
        true
    }

    fn decompositions(&self) -> &dyn Decompose {
        self
    }

    fn upload(&self, panel: Panel) -> Result<Tall> {
        Ok(PanelOnDevice::upload(&self.device, &panel)?.tall(panel.rows(), panel.cols()))
    }

    fn download(&self, panel: &Tall) -> Result<Panel> {
        Ok(panel_of(panel).download(panel.rows(), panel.cols())?)
    }

    fn change_on_host(
        &self,
        panel: &mut Tall,
        change: &mut dyn FnMut(&mut Panel) -> Result<()>,
    ) -> Result<()> {
        let mut copy = self.download(panel)?;
        change(&mut copy)?;
        *panel = self.upload(copy)?;
        Ok(())
    }

    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors> {
        Ok(RowFactors(Box::new(FactorsOnDevice(self.device.copy(&factors)?))))
    }

    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall> {
        Ok(PanelOnDevice::zeros(&self.device, rows, cols)?.tall(rows, cols))
    }

    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        mut targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        let home = match pair.composition() {
            Some(composition) => self.home(composition.home)?.map(|home| (home, composition)),
            None => None,
        };
        if let Some((home, composition)) = home {
            self.pass_here(&home, &composition, sources, &targets)?;
            let wants = targets.each_ref().map(|row| row.each_ref().map(Option::is_some));
            return pair.count_pass(sources.map(|source| source.map_or(0, Tall::cols)), wants);
        }
        // The host runs the pass, because only the pair itself knows how.
        let mut on_host: Vec<Option<Tall>> = Vec::new();
        for source in sources {
            on_host.push(source.map(|source| Host.upload(self.download(source)?)).transpose()?);
        }
        let shapes = targets
            .each_ref()
            .map(|row| row.each_ref().map(|out| out.as_ref().map(|out| (out.rows(), out.cols()))));
        let zeros =
            |shape: Option<(usize, usize)>| shape.map(|(rows, cols)| Host.zeros(rows, cols)).transpose();
        let mut products =
            [[zeros(shapes[0][0])?, zeros(shapes[0][1])?], [zeros(shapes[1][0])?, zeros(shapes[1][1])?]];
        let sources = [on_host[0].as_ref(), on_host[1].as_ref()];
        Host.pass(pair, sources, products.each_mut().map(|row| row.each_mut().map(Option::as_mut)))?;
        for (row, products) in targets.iter_mut().zip(products) {
            for (out, product) in row.iter_mut().zip(products) {
                if let (Some(out), Some(product)) = (out, product) {
                    **out = self.upload(Host.take(product)?)?;
                }
            }
        }
        Ok(())
    }

    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()> {
        let (to, from) = (panel_of(out), panel_of(a));
        let count = to.room.len() as u64;
        self.launch_each("add_scaled", count, &[&count, &to.room.address(), &factor, &from.room.address()])
    }

    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        Ok(only(self.reduce(&[Reduction::Cross(a, b)])?))
    }

    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        Ok(only(self.reduce(&[Reduction::Symmetric(a, b)])?))
    }

    fn reduce(&self, wanted: &[Reduction<'_>]) -> Result<Vec<Mat<f64>>> {
        Ok(crosses::reduce(&self.device, wanted)?)
    }

    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()> {
        let (rows, small) = (w.rows(), Coefficients::new(&self.device, [m])?);
        let out = PanelOnDevice::unwritten(&self.device, rows, m.ncols())?;
        small.multiply(rows, panel_of(w), &out)?;
        *w = out.tall(rows, m.ncols());
        Ok(())
    }

    fn advance(
        &self,
        w: &mut Tall,
        p: &mut Tall,
        t: &Tall,
        coefficients: [MatRef<'_, f64>; 3],
    ) -> Result<()> {
        self.advance_all(&mut [Advance { w, p, t }], coefficients)
    }

    fn advance_all(&self, panels: &mut [Advance<'_>], [cw, ct, cp]: [MatRef<'_, f64>; 3]) -> Result<()> {
        let (cols, small) = (cw.ncols(), Coefficients::new(&self.device, [ct, cp, cw])?);
        for Advance { w, p, t } in panels {
            let rows = w.rows();
            let [step, next] = small.advance(rows, [panel_of(t), panel_of(p), panel_of(w)])?;
            (**w, **p) = (next.tall(rows, cols), step.tall(rows, cols));
        }
        Ok(())
    }

    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()> {
        let (to, a, b) = (panel_of(out), panel_of(a), panel_of(b));
        let mut padded = factors.to_vec();
        padded.resize(to.stride, 0.0);
        let (count, factors) = (to.room.len() as u64, self.device.copy(&padded)?);
        self.launch_each(
            "difference",
            count,
            &[
                &count,
                &(to.stride as u32),
                &to.room.address(),
                &a.room.address(),
                &factors.address(),
                &b.room.address(),
            ],
        )
    }

    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()> {
        Ok(scale_rows(&self.device, a, factors)?)
    }

    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>> {
        let sums = only(self.reduce(&[Reduction::Squares(a, weights)])?);
        Ok(sums.col(0).iter().copied().collect())
    }

    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>> {
        let (panel, rows) = (panel_of(a), a.rows());
        let out: Room<f64> = self.device.room(rows)?;
        self.device.launch(
            "row_squares",
            File::Panel,
            Launch::blocks((rows as u64).div_ceil(8), 256),
            &[&(rows as u64), &(panel.stride as u32), &out.address(), &panel.room.address()],
        )?;
        Ok(out.to_vec()?)
    }

    fn activity(&self, w: &Tall, r: &Tall, inverse: &RowFactors) -> Result<Option<Vec<f64>>> {
        Ok(Some(columns::activity(&self.device, w, r, inverse)?))
    }

    fn largest_entries(&self, a: &Tall) -> Result<Vec<f64>> {
        Ok(columns::largest_entries(&self.device, a)?)
    }

    fn cosines(&self, a: &Tall, rows: &[f64], columns: &[f64]) -> Result<Tall> {
        Ok(columns::cosines(&self.device, a, rows, columns)?)
    }

    fn without_rows(&self, factors: &RowFactors, rows: &[u32]) -> Result<Option<RowFactors>> {
        Ok(columns::without_rows(&self.device, factors, rows)?)
    }

    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall> {
        let (from, rows) = (panel_of(a), a.rows());
        let out = PanelOnDevice::unwritten(&self.device, rows, columns.len())?;
        let numbers: Vec<u32> = columns.iter().map(|&column| column as u32).collect();
        let (count, numbers) = (out.room.len() as u64, self.device.copy(&numbers)?);
        self.launch_each(
            "select_columns",
            count,
            &[
                &count,
                &(out.stride as u32),
                &out.room.address(),
                &(columns.len() as u32),
                &numbers.address(),
                &(from.stride as u32),
                &from.room.address(),
            ],
        )?;
        Ok(out.tall(rows, columns.len()))
    }

    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel> {
        let from = panel_of(a);
        let out = PanelOnDevice::unwritten(&self.device, rows.len(), a.cols())?;
        let (count, numbers) = (out.room.len() as u64, self.device.copy(rows)?);
        self.launch_each(
            "take_rows",
            count,
            &[
                &count,
                &(out.stride as u32),
                &out.room.address(),
                &numbers.address(),
                &from.room.address(),
                &0u64,
            ],
        )?;
        Ok(out.download(rows.len(), a.cols())?)
    }

    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()> {
        let (to, values) =
            (panel_of(a), self.device.copy(bytemuck::cast_slice::<Line, f64>(values.lines()))?);
        let (count, numbers) = (values.len() as u64, self.device.copy(rows)?);
        self.launch_each(
            "put_rows",
            count,
            &[&count, &(to.stride as u32), &to.room.address(), &numbers.address(), &values.address(), &0u64],
        )
    }

    fn most_inverted(&self, pair: &Counting<'_>) -> usize {
        let is_read = pair.composition().is_some_and(|composition| is_inverted(&composition));
        if is_read { inverse::most_columns(&self.device) } else { 0 }
    }

    fn factor_speed(&self) -> f64 {
        FACTOR_SPEED
    }

    fn invert(&self, pair: &Counting<'_>, block: &ChosenBlock<'_>) -> Result<Inverted> {
        let Some(composition) = pair.composition().filter(is_inverted) else { return Ok(Inverted::OnHost) };
        let Some(home) = self.home(composition.home)? else { return Ok(Inverted::OnHost) };
        let weight = pair.moments(Side::X)?.weight;
        let inverted = match inverse::invert(&self.device, &home, &composition, weight, block) {
            // Others have taken the free memory meanwhile.
            Err(error) if CudaError::is_memory(&error) => None,
            inverted => inverted?,
        };
        pair.count_block()?;
        Ok(inverted.map_or(Inverted::No, |inverse| Inverted::Here(Box::new(inverse))))
    }

    /// Rows are copied once for their moments and their Gram matrix.
    fn moments(&self, rows: &InMemory) -> Result<Option<[Moments; 2]>> {
        if !Summed::pays(&self.device, rows) {
            return self.count(rows);
        }
        let (moments, summed) = Summed::new(&self.device, rows)?;
        *lock(&self.summed) = summed.map(Arc::new);
        Ok(Some(moments))
    }

    fn joint_gram(&self, rows: &InMemory, limit: u64) -> Result<Option<JointGram>> {
        match self.joint_gram_here(rows, limit, true, &|_| Ok(())) {
            // Others have taken the free memory, so the host forms the Gram matrix.
            Err(error) if CudaError::is_memory(&error) => Ok(None),
            formed => formed?.map(|formed| self.keep(formed)).transpose(),
        }
    }

    fn deal(&self, x: &Panel, y: &Panel) -> Result<Option<Box<dyn Dealing>>> {
        if (x.rows(), x.cols()) != (y.rows(), y.cols()) || x.rows() == 0 || x.cols() == 0 {
            return Ok(None);
        }
        let dealt = DealtOnDevice::copy(&self.device, x, y)?;
        self.was_used.store(true, Relaxed);
        Ok(Some(Box::new(dealt)))
    }

    fn dense_gram(&self, pair: &Counting<'_>) -> Result<Option<Mat<f64>>> {
        let Some(composition) = pair.composition() else { return Ok(None) };
        let Some(rows) = composition.home.downcast_ref::<InMemory>() else { return Ok(None) };
        if !dense_gram::is_possible(&self.device, rows) {
            return Ok(None);
        }
        self.was_used.store(true, Relaxed);
        let known = self.summed.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let gram = match known.filter(|summed| summed.is_of(rows)) {
            Some(summed) => summed.gram(&composition)?,
            None => dense_gram::form(&self.device, rows, &composition)?,
        };
        pair.count_gram()?;
        Ok(Some(gram))
    }
}

/// Returns the answer to a single question.
fn only<T>(mut answers: Vec<T>) -> T {
    answers.pop().unwrap_or_else(|| unreachable!("one question has one answer"))
}
