//! Everything that the default method does to tall panels, on a device.

use crate::dense_gram;
use crate::device::Device;
use crate::home::Home;
use crate::inverse;
use crate::kernels::File;
use crate::launch::{Argument, Launch};
use crate::panel::{FactorsOnDevice, PanelOnDevice, column_sums, panel_of, scale_rows, stride_of};
use crate::product::{Dense, Numbers, cross_into, times_into};
use crate::room::Room;
use crate::scan::ScanOnDevice;
use crate::sparse::SparseOnDevice;
use crate::sparse_gram;
use crate::summed::Summed;
use crate::witnesses::unless_full;
use faer::{Mat, MatRef};
use lcca::data::{Counting, InMemory, JointGram, Moments, Pair, Side};
use lcca::error::Result;
use lcca::matrix::{Line, Matrix, Panel};
use lcca::space::{ChosenBlock, GramScan, GramView, Host, Inverted, RowFactors, Space, Tall};
use std::any::Any;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Arc, Mutex, PoisonError};

/// Copies of rows and Gram matrices that are kept.
const HOMES: usize = 2;

/// A GPU as the home of panels.
pub struct Cuda {
    pub(crate) device: Arc<Device>,
    homes: Mutex<Vec<Arc<Home>>>,
    /// The Gram matrix that was formed with the last moments.
    summed: Mutex<Option<Arc<Summed>>>,
    was_used: AtomicBool,
}

impl Cuda {
    /// Panels on the given GPU, and the rows or Gram matrices that passes read.
    pub fn new(device: Arc<Device>) -> Self {
        Cuda { device, homes: Mutex::default(), summed: Mutex::default(), was_used: AtomicBool::new(false) }
    }

    /// The GPU.
    pub fn device(&self) -> &Arc<Device> {
        &self.device
    }

    /// Whether any rows or Gram matrices were read there.
    pub fn was_used(&self) -> bool {
        self.was_used.load(Relaxed)
    }

    /// The device's copy of what is at the bottom of a pair. `None` if it has none that a device can read.
    pub(crate) fn home(&self, source: &(dyn Any + Send + Sync)) -> Result<Option<Arc<Home>>> {
        let mut homes = self.homes.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(found) = homes.iter().find(|home| home.is_of(source)) {
            return Ok(Some(found.clone()));
        }
        make_place(&mut homes);
        let home = Home::copy(&self.device, source)?.map(Arc::new);
        homes.extend(home.clone());
        self.was_used.fetch_or(home.is_some(), Relaxed);
        Ok(home)
    }

    /// Keeps Gram matrices that were formed here for the passes over them.
    fn keep(&self, joint: &JointGram, blocks: [[SparseOnDevice; 2]; 2]) -> Result<()> {
        let mut homes = self.homes.lock().unwrap_or_else(PoisonError::into_inner);
        make_place(&mut homes);
        homes.push(Arc::new(Home::formed(&self.device, joint, blocks)?));
        Ok(())
    }

    pub(crate) fn launch_each(
        &self,
        name: &'static str,
        count: u64,
        arguments: &[&dyn Argument],
    ) -> Result<()> {
        Ok(self.device.launch(name, File::Panel, Launch::each(count), arguments)?)
    }

    /// out ← beta·out + A·M for a small M on the device.
    fn times(
        &self,
        rows: usize,
        a: &PanelOnDevice,
        m: &SmallOnDevice,
        out: &PanelOnDevice,
        beta: f64,
    ) -> Result<()> {
        let small = Dense { address: m.room.address(), cols: m.stride, stride: m.stride };
        let a = (a.matrix(m.rows), Numbers::F64);
        Ok(times_into(&self.device, rows, out.matrix(m.stride), a, small, beta)?)
    }

    fn small(&self, m: MatRef<'_, f64>) -> Result<SmallOnDevice> {
        let (stride, rows) = (stride_of(m.ncols()), m.nrows());
        let mut numbers = vec![0.0; rows * stride];
        for i in 0..rows {
            (0..m.ncols()).for_each(|j| numbers[i * stride + j] = m[(i, j)]);
        }
        Ok(SmallOnDevice { room: self.device.copy(&numbers)?, rows, stride })
    }

    /// The joint Gram matrix of sparse rows; `None` if the device has too little memory.
    pub(crate) fn joint_gram_here(
        &self,
        rows: &InMemory,
        plan: &sparse_gram::Plan,
        limit: u64,
        after: sparse_gram::AfterStep<'_>,
    ) -> Result<Option<JointGram>> {
        if !plan.fits(&self.device, rows) {
            return Ok(None);
        }
        let Some(formed) = sparse_gram::form(&self.device, rows, plan, limit, after)? else {
            return Ok(None);
        };
        self.was_used.store(true, Relaxed);
        if let Some(blocks) = formed.blocks {
            self.keep(&formed.joint, blocks)?;
        }
        Ok(Some(formed.joint))
    }

    /// AᵀB of two panels, written to an address.
    fn cross_of(&self, a: &Tall, b: &Tall, out: u64) -> Result<()> {
        let (left, right) = (panel_of(a).matrix(a.cols()), panel_of(b).matrix(b.cols()));
        Ok(cross_into(&self.device, a.rows(), out, (left, Numbers::F64), right, false)?)
    }
}

/// Drops the oldest copy if there are as many as are kept.
fn make_place(homes: &mut Vec<Arc<Home>>) {
    if homes.len() >= HOMES {
        homes.remove(0);
    }
}

/// A small matrix on the device, row-major, its rows padded with zeros.
struct SmallOnDevice {
    room: Room<f64>,
    rows: usize,
    stride: usize,
}

impl Space for Cuda {
    fn is_remote(&self) -> bool {
        true
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
        // Nobody but the pair itself knows what a pass is.
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
        let total = |talls: &[&Tall]| talls.iter().map(|tall| tall.cols()).sum::<usize>();
        let (rows, cols) = (total(a), total(b));
        // All products are copied to the host at once, one after another.
        let products: Room<f64> = self.device.room(rows * cols)?;
        let mut place = 0;
        for (left, right) in a.iter().flat_map(|left| b.iter().map(move |right| (left, right))) {
            self.cross_of(left, right, products.address_of(place))?;
            place += left.cols() * right.cols();
        }
        let numbers = products.to_vec()?;
        let mut out = Mat::zeros(rows, cols);
        let (mut row0, mut rest) = (0, &numbers[..]);
        for left in a {
            let mut col0 = 0;
            for right in b {
                let (own, after) = rest.split_at(left.cols() * right.cols());
                for (j, column) in
                    out.submatrix_mut(row0, col0, left.cols(), right.cols()).col_iter_mut().enumerate()
                {
                    column.iter_mut().enumerate().for_each(|(i, entry)| *entry = own[i * right.cols() + j]);
                }
                (col0, rest) = (col0 + right.cols(), after);
            }
            row0 += left.cols();
        }
        Ok(out)
    }

    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        let full = self.cross(a, b)?;
        Ok(Mat::from_fn(full.nrows(), full.ncols(), |i, j| (full[(i, j)] + full[(j, i)]) / 2.0))
    }

    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()> {
        let (rows, small) = (w.rows(), self.small(m)?);
        let out = PanelOnDevice::unwritten(&self.device, rows, m.ncols())?;
        self.times(rows, panel_of(w), &small, &out, 0.0)?;
        *w = out.tall(rows, m.ncols());
        Ok(())
    }

    fn advance(
        &self,
        w: &mut Tall,
        p: &mut Tall,
        t: &Tall,
        [cw, ct, cp]: [MatRef<'_, f64>; 3],
    ) -> Result<()> {
        let (rows, cols) = (w.rows(), cw.ncols());
        let step = PanelOnDevice::unwritten(&self.device, rows, cols)?;
        self.times(rows, panel_of(t), &self.small(ct)?, &step, 0.0)?;
        if cp.nrows() > 0 {
            self.times(rows, panel_of(p), &self.small(cp)?, &step, 1.0)?;
        }
        let mut next = PanelOnDevice::unwritten(&self.device, rows, cols)?;
        next.room.copy_from(&step.room)?;
        self.times(rows, panel_of(w), &self.small(cw)?, &next, 1.0)?;
        (*w, *p) = (next.tall(rows, cols), step.tall(rows, cols));
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
        let (at, weights) = (panel_of(a).at(), weights.storage::<FactorsOnDevice>());
        let sums = column_sums(&self.device, a.rows(), at, at.address, weights.0.address())?;
        let mut sums = sums.to_vec()?;
        sums.truncate(a.cols());
        Ok(sums)
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

    fn invert(&self, pair: &Counting<'_>, block: &ChosenBlock<'_>) -> Result<Inverted> {
        let Some(composition) = pair.composition() else { return Ok(Inverted::OnHost) };
        let Some(home) = self.home(composition.home)? else { return Ok(Inverted::OnHost) };
        if let Some(rows) = composition.home.downcast_ref::<InMemory>()
            && Side::BOTH.iter().any(|&side| matches!(rows.view(side), Matrix::Dense(_)))
        {
            return Ok(Inverted::OnHost);
        }
        let weight = pair.moments(Side::X)?.weight;
        let inverted = inverse::invert(&self.device, &home, &composition, weight, block)?;
        pair.count_block()?;
        Ok(inverted.map_or(Inverted::No, |inverse| Inverted::Here(Box::new(inverse))))
    }

    /// Dense rows are copied once for their moments and their Gram matrix.
    fn moments(&self, rows: &InMemory) -> Result<Option<[Moments; 2]>> {
        if !Summed::pays(&self.device, rows) {
            return Ok(None);
        }
        let (moments, summed) = Summed::new(&self.device, rows)?;
        *self.summed.lock().unwrap_or_else(PoisonError::into_inner) = summed.map(Arc::new);
        Ok(Some(moments))
    }

    fn joint_gram(&self, rows: &InMemory, limit: u64) -> Result<Option<JointGram>> {
        match sparse_gram::Plan::new(rows) {
            Some(plan) if plan.pays() => self.joint_gram_here(rows, &plan, limit, &|_| Ok(())),
            _ => Ok(None),
        }
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

    /// The host scans if there is no memory for what the scans need.
    fn scan<'a>(&'a self, grams: &GramView<'a>) -> Result<Option<Box<dyn GramScan + 'a>>> {
        let Some(home) = self.home(grams.joint)? else { return Ok(None) };
        let scan = unless_full(ScanOnDevice::new(&self.device, home, grams))?.flatten();
        Ok(scan.map(|scan| Box::new(scan) as Box<dyn GramScan + 'a>))
    }
}
