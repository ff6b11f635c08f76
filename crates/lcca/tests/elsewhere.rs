//! Dense rows and Gram matrices in the memory of a device, which a stand-in plays: the host copies only the
//! numbers that it reads.

use faer::{Mat, MatRef};
use lcca::data::{Accumulated, Counting, InMemory, JointGram, JointGrams, Moments, Pair, PanelSpace, Side};
use lcca::fit::fit;
use lcca::matrix::{
    Buffer, Bytes, ColumnSums, DenseRows, DenseValues, Elsewhere, Matrix, Numbers, Panel, SparseRows,
    Unreadable, Values,
};
use lcca::method::{Method, Scale, Settings};
use lcca::space::{Host, Placed, RowFactors, Space, Tall, place};
use lcca::{Error, Result};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex};

/// A stand-in for a device: the host must ask for its numbers.
struct Device {
    numbers: Vec<f64>,
    /// Whether a copy of all numbers fails.
    is_broken: bool,
    was_copied: AtomicBool,
}

impl Device {
    fn new(numbers: Vec<f64>, is_broken: bool) -> Arc<Self> {
        Arc::new(Device { numbers, is_broken, was_copied: AtomicBool::new(false) })
    }

    fn some(&self, numbers: Numbers) -> &[f64] {
        assert!(!numbers.is_single);
        &self.numbers[numbers.start / 8..][..numbers.len]
    }
}

impl Bytes for Device {
    fn bytes(&self) -> &[u8] {
        if self.bring().is_err() {
            std::panic::resume_unwind(Box::new(Unreadable("it is broken".into())));
        }
        bytemuck::cast_slice(&self.numbers)
    }

    fn count(&self) -> usize {
        8 * self.numbers.len()
    }

    fn elsewhere(&self) -> Option<&dyn Elsewhere> {
        Some(self)
    }
}

impl Elsewhere for Device {
    fn address(&self) -> u64 {
        self.numbers.as_ptr() as u64
    }

    fn bring(&self) -> Result<()> {
        if self.is_broken {
            return Err(Error::External("it is broken".into()));
        }
        self.was_copied.store(true, Relaxed);
        Ok(())
    }

    fn read(&self, start: usize, out: &mut [u8]) -> Result<()> {
        out.copy_from_slice(&bytemuck::cast_slice(&self.numbers)[start..][..out.len()]);
        Ok(())
    }

    fn first_not_finite(&self, numbers: Numbers) -> Result<Option<usize>> {
        Ok(self.some(numbers).iter().position(|number| !number.is_finite()))
    }

    fn column_sums(&self, numbers: Numbers, cols: usize, weights: Option<&[f64]>) -> Result<ColumnSums> {
        let mut sums = ColumnSums { sum: vec![0.0; cols], square: vec![0.0; cols], nonzero: vec![0; cols] };
        for (i, row) in self.some(numbers).chunks(cols).enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[i]);
            for (j, value) in row.iter().enumerate() {
                sums.sum[j] += weight * value;
                sums.square[j] += weight * value * value;
                sums.nonzero[j] += u64::from(*value != 0.0);
            }
        }
        Ok(sums)
    }
}

/// Numbers in steps of an eighth, whose sums are exact.
fn numbers(rows: usize, cols: usize, seed: usize) -> Vec<f64> {
    (0..rows * cols)
        .map(|i| (((i + seed) * 7919 % 251) as f64 - 120.0) / 8.0 + (i / cols % 5 * (i % cols)) as f64)
        .collect()
}

fn view(rows: usize, cols: usize, owner: Arc<Device>) -> Result<Matrix> {
    Ok(DenseRows::new(rows, cols, DenseValues::F64(Buffer::shared(owner, 0, rows * cols)?))?.into())
}

fn here(rows: usize, cols: usize, seed: usize) -> Matrix {
    DenseRows::new(rows, cols, DenseValues::F64(numbers(rows, cols, seed).into()))
        .expect("finite numbers")
        .into()
}

#[test]
fn a_number_that_is_not_finite_has_its_place_and_nothing_is_copied() {
    let mut values = numbers(40, 3, 0);
    (values[50], values[70]) = (f64::NAN, f64::INFINITY);
    let device = Device::new(values, false);
    let error = view(40, 3, device.clone()).err().unwrap().to_string();
    assert!(error.contains("row 16, column 2: the value is NaN"), "{error}");
    assert!(!device.was_copied.load(Relaxed));
}

#[test]
fn moments_samples_and_slices_are_those_of_the_host_without_a_copy() {
    let device = Device::new(numbers(40, 3, 0), false);
    let whole = view(40, 3, device.clone()).unwrap();
    let weights: Vec<f64> = (0..30).map(|row| (row % 3) as f64).collect();
    for weights in [None, Some(weights)] {
        let pair = |x: Matrix| {
            let pair = InMemory::new(x.slice(5..35), here(30, 2, 1)).unwrap();
            match &weights {
                Some(weights) => pair.weighted(weights.clone().into()).unwrap(),
                None => pair,
            }
        };
        let (there, on_host) = (pair(whole.clone()), pair(here(40, 3, 0)));
        assert_eq!(there.moments(Side::X).unwrap(), on_host.moments(Side::X).unwrap());
        let sample = |pair: &InMemory| pair.capabilities().samples.unwrap().sample(7).unwrap();
        assert_eq!(
            format!("{:?}", sample(&there).view(Side::X)),
            format!("{:?}", sample(&on_host).view(Side::X))
        );
    }
    assert!(!device.was_copied.load(Relaxed));
}

/// A space that forms Gram matrices of the rows that it knows, and leaves everything else to the host.
struct Knowing(InMemory);

impl Space for Knowing {
    fn dense_gram(&self, pair: &Counting<'_>) -> Result<Option<Mat<f64>>> {
        let means = pair.composition().and_then(|composition| composition.means);
        Ok(Some(self.0.capabilities().require_grams()?.dense_gram(means, u64::MAX)?))
    }

    fn joint_gram(&self, rows: &InMemory, limit: u64) -> Result<Option<JointGram>> {
        let is_known = rows.shape() == self.0.shape();
        is_known.then(|| self.0.joint_gram(limit)).transpose()
    }

    fn upload(&self, panel: Panel) -> Result<Tall> {
        Host.upload(panel)
    }
    fn download(&self, panel: &Tall) -> Result<Panel> {
        Host.download(panel)
    }
    fn change_on_host(&self, a: &mut Tall, change: &mut dyn FnMut(&mut Panel) -> Result<()>) -> Result<()> {
        Host.change_on_host(a, change)
    }
    fn row_factors(&self, factors: Vec<f64>) -> Result<RowFactors> {
        Host.row_factors(factors)
    }
    fn zeros(&self, rows: usize, cols: usize) -> Result<Tall> {
        Host.zeros(rows, cols)
    }
    fn pass(
        &self,
        pair: &Counting<'_>,
        sources: [Option<&Tall>; 2],
        targets: [[Option<&mut Tall>; 2]; 2],
    ) -> Result<()> {
        Host.pass(pair, sources, targets)
    }
    fn add_scaled(&self, out: &mut Tall, factor: f64, a: &Tall) -> Result<()> {
        Host.add_scaled(out, factor, a)
    }
    fn cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        Host.cross(a, b)
    }
    fn symmetric_cross(&self, a: &[&Tall], b: &[&Tall]) -> Result<Mat<f64>> {
        Host.symmetric_cross(a, b)
    }
    fn multiply(&self, w: &mut Tall, m: MatRef<'_, f64>) -> Result<()> {
        Host.multiply(w, m)
    }
    fn advance(&self, w: &mut Tall, p: &mut Tall, t: &Tall, c: [MatRef<'_, f64>; 3]) -> Result<()> {
        Host.advance(w, p, t, c)
    }
    fn difference(&self, out: &mut Tall, a: &Tall, factors: &[f64], b: &Tall) -> Result<()> {
        Host.difference(out, a, factors, b)
    }
    fn scale_rows(&self, a: &mut Tall, factors: &RowFactors) -> Result<()> {
        Host.scale_rows(a, factors)
    }
    fn weighted_squares(&self, a: &Tall, weights: &RowFactors) -> Result<Vec<f64>> {
        Host.weighted_squares(a, weights)
    }
    fn row_squares(&self, a: &Tall) -> Result<Vec<f64>> {
        Host.row_squares(a)
    }
    fn select(&self, a: &Tall, columns: &[usize]) -> Result<Tall> {
        Host.select(a, columns)
    }
    fn rows(&self, a: &Tall, rows: &[u32]) -> Result<Panel> {
        Host.rows(a, rows)
    }
    fn put_rows(&self, a: &mut Tall, rows: &[u32], values: &Panel) -> Result<()> {
        Host.put_rows(a, rows, values)
    }
}

#[test]
fn a_fit_to_narrow_views_whose_gram_matrix_is_formed_there_copies_nothing() {
    // A column of Y nearly is one of X, so that shared columns are looked for.
    let (x, mut y) = (numbers(300, 6, 0), numbers(300, 4, 3));
    (0..300).for_each(|row| y[row * 4] = x[row * 6 + 1] + y[row * 4] / 4.0);
    let here = |numbers: &[f64], cols: usize| {
        let values = DenseValues::F64(numbers.to_vec().into());
        Matrix::from(DenseRows::new(300, cols, values).unwrap())
    };
    let on_host = || InMemory::new(here(&x, 6), here(&y, 4)).unwrap();
    let devices = [Device::new(x.clone(), false), Device::new(y.clone(), false)];
    let [x, y] = [0, 1].map(|i| view(300, [6, 4][i], devices[i].clone()).unwrap());
    let pair = InMemory::new(x, y).unwrap();
    let pair = place(pair, Arc::new(Knowing(on_host())));
    let mut settings = Settings::new(Method::auto(), 2);
    let expected = fit(&on_host(), &settings, &()).unwrap();
    let mut found = fit(&pair, &settings, &()).unwrap();
    found.look_for_shared_columns(&pair).unwrap();
    assert!(found.model.correlations[0] > 0.9, "{:?}", found.model.correlations);
    assert_eq!(found.model.objective, expected.model.objective);
    settings.ridge_x = 0.1;
    fit(&pair, &settings, &()).unwrap();
    assert!(devices.iter().all(|device| !device.was_copied.load(Relaxed)));
}

#[test]
fn a_space_may_form_the_joint_gram_matrix_of_rows() {
    let rows = |count: u32, factor: u32| {
        let view = |cols: u32, factor: u32| {
            let offsets: Vec<u64> = (0..=u64::from(count)).map(|row| 2 * row).collect();
            let columns = (0..count).flat_map(|row| [row * factor % (cols - 1), cols - 1]);
            let columns: Vec<u32> = columns.collect();
            SparseRows::new(cols as usize, offsets.into(), columns.into(), Values::Ones).unwrap().into()
        };
        InMemory::new(view(9, factor), view(7, factor + 1)).unwrap()
    };
    let numbers = |joint: &JointGram| {
        let mut found = Vec::new();
        for (target, source) in [(Side::X, Side::X), (Side::X, Side::Y), (Side::Y, Side::Y)] {
            let block = joint.block(target, source);
            (0..block.rows()).for_each(|i| block.for_each(i, |j, value| found.push((i, j, value))));
        }
        found
    };
    // Only the space can have given the Gram matrix of the rows that it knows, because these are others.
    let known = numbers(&rows(40, 1).joint_gram(u64::MAX).unwrap());
    for (count, is_known) in [(40, true), (50, false)] {
        let own = numbers(&rows(count, 2).joint_gram(u64::MAX).unwrap());
        assert_ne!(own, known);
        let (pair, space) = (rows(count, 2), Arc::new(Knowing(rows(40, 1))));
        let placed = Placed::new(&pair as &dyn Pair, space.clone());
        let offered = placed.capabilities().joint_grams.unwrap();
        assert!(offered.estimate().unwrap().is_some() && !offered.is_formed());
        let with_space = place(rows(count, 2), space);
        for joint_grams in [offered, &with_space] {
            let found = numbers(&joint_grams.joint_gram(u64::MAX).unwrap());
            assert_eq!(found, if is_known { known.clone() } else { own.clone() });
            let error = joint_grams.joint_gram(10).err().unwrap();
            assert!(matches!(error, Error::Memory { allowed: 10, .. }), "{error}");
        }
    }
}

#[test]
fn every_method_takes_such_rows() {
    for method in [Method::auto(), Method::gram(), Method::exact(), Method::lobpcg(), Method::rp_cca(4)] {
        let (x, y) = (Device::new(numbers(300, 6, 0), false), Device::new(numbers(300, 4, 3), false));
        let there = InMemory::new(view(300, 6, x.clone()).unwrap(), view(300, 4, y).unwrap()).unwrap();
        let on_host = InMemory::new(here(300, 6, 0), here(300, 4, 3)).unwrap();
        let settings = Settings::new(method, 2);
        let fits = [&there, &on_host].map(|pair| fit(pair, &settings, &()).unwrap());
        assert_eq!(fits[0].model.objective, fits[1].model.objective, "{method:?}");
        assert!(x.was_copied.load(Relaxed), "the space is the host's");
    }
}

#[test]
fn a_copy_that_fails_is_an_error() {
    for method in [Method::gram(), Method::exact(), Method::lobpcg(), Method::sketch(100)] {
        let x = view(300, 6, Device::new(numbers(300, 6, 0), true)).unwrap();
        let pair = InMemory::new(x, here(300, 4, 3)).unwrap();
        let error = fit(&pair, &Settings::new(method, 2), &()).err().unwrap().to_string();
        assert!(error.contains("it is broken"), "{error}");
    }
}

/// A space that sums up both views at once, leaves that to the host, or fails for a reason.
struct Summing {
    answer: Answer,
    asked: AtomicUsize,
}

type Answer = std::result::Result<Option<[Moments; 2]>, &'static str>;

impl PanelSpace for Summing {
    fn moments(&self, _: &InMemory) -> Result<Option<[Moments; 2]>> {
        self.asked.fetch_add(1, Relaxed);
        self.answer.clone().map_err(|reason| Error::External(reason.into()))
    }

    fn joint_gram(&self, _: &InMemory, _: u64) -> Result<Option<JointGram>> {
        Ok(None)
    }
}

#[test]
fn a_space_may_sum_up_both_views_once() {
    let on_host = InMemory::new(here(300, 6, 0), here(300, 4, 3)).unwrap();
    let moments = Side::BOTH.map(|side| on_host.moments(side).unwrap().clone());
    let placed = |answer: Answer| {
        let space = Arc::new(Summing { answer, asked: AtomicUsize::new(0) });
        let pair = InMemory::new(here(300, 6, 0), here(300, 4, 3)).unwrap();
        (pair.placed(Some(space.clone())), space)
    };
    // These are sums that only the space can have given.
    let mut doubled = moments.clone();
    doubled[1].sum.iter_mut().for_each(|sum| *sum *= 2.0);
    let (pair, space) = placed(Ok(Some(doubled.clone())));
    for _ in 0..2 {
        assert_eq!(Side::BOTH.map(|side| pair.moments(side).unwrap().clone()), doubled);
    }
    assert_eq!(space.asked.load(Relaxed), 1);
    let (pair, _) = placed(Ok(None));
    assert_eq!(Side::BOTH.map(|side| pair.moments(side).unwrap().clone()), moments);
    let (pair, _) = placed(Err("it is broken"));
    let error = fit(&pair, &Settings::new(Method::auto(), 2), &()).err().unwrap().to_string();
    assert!(error.contains("it is broken"), "{error}");
}

/// A space whose Gram matrices have their values in the memory of a device.
struct Forming {
    is_broken: bool,
    /// The devices that keep the values of all blocks that were formed.
    made: Mutex<Vec<Arc<Device>>>,
}

impl Forming {
    fn new(is_broken: bool) -> Arc<Self> {
        Arc::new(Forming { is_broken, made: Mutex::default() })
    }

    fn moved(&self, block: &Matrix) -> Result<Matrix> {
        let Matrix::Sparse(rows) = block else { unreachable!("blocks are sparse") };
        let values = (0..rows.entries() as usize).map(|entry| rows.values().get(entry)).collect();
        let device = Device::new(values, self.is_broken);
        self.made.lock().expect("no thread has panicked").push(device.clone());
        let values = Values::F64(Buffer::shared(device, 0, rows.entries() as usize)?);
        Ok(SparseRows::ordered(rows.cols(), rows.offsets().clone(), rows.columns().clone(), values)?.into())
    }
}

impl PanelSpace for Forming {
    fn moments(&self, _: &InMemory) -> Result<Option<[Moments; 2]>> {
        Ok(None)
    }

    fn joint_gram(&self, rows: &InMemory, limit: u64) -> Result<Option<JointGram>> {
        let on_host = InMemory::new(rows.view(Side::X).clone(), rows.view(Side::Y).clone())?;
        let joint = on_host.joint_gram(limit)?;
        let [x, y] = Side::BOTH;
        let block = |target: Side, source: Side| self.moved(joint.block(target, source));
        let blocks = [[block(x, x)?, block(x, y)?], [block(y, x)?, block(y, y)?]];
        let moments = [joint.moments(x).clone(), joint.moments(y).clone()];
        Ok(Some(JointGram::from_all_blocks(rows.shape(), moments, blocks)))
    }
}

/// Rows with three entries in each view, in wide views whose Gram matrix is small.
fn sparse_rows(space: Option<Arc<Forming>>) -> InMemory {
    let view = |shift: u32| {
        let offsets: Vec<u64> = (0..=6000).map(|row| 3 * row).collect();
        let columns = (0..6000u32).flat_map(|row| {
            let topic = row * 7919 % 83 + shift * (row % 3);
            [topic % 90, 100 + (topic + row % 2) % 90, 200 + row % 40]
        });
        let columns: Vec<u32> = columns.collect();
        let rows = SparseRows::new(3000, offsets.into(), columns.into(), Values::Ones);
        Matrix::from(rows.expect("valid rows"))
    };
    let pair = InMemory::new(view(1), view(2)).expect("equally many rows");
    pair.placed(space.map(|space| space as Arc<dyn PanelSpace>))
}

#[test]
fn gram_matrices_elsewhere_are_copied_when_the_host_reads_them_and_a_copy_that_fails_is_an_error() {
    for method in [Method::lobpcg(), Method::shift_invert()] {
        for scale in [Scale::No, Scale::Yes] {
            let mut settings = Settings::new(method, 3).scale(scale);
            (settings.ridge_x, settings.ridge_y) = (0.01, 0.01);
            let expected = fit(&sparse_rows(None), &settings, &()).unwrap();
            let space = Forming::new(false);
            let found = fit(&sparse_rows(Some(space.clone())), &settings, &()).unwrap();
            assert_eq!(found.model.objective, expected.model.objective);
            let made = space.made.lock().unwrap();
            assert!(made.len() == 4 && made.iter().all(|block| block.was_copied.load(Relaxed)));
            let broken = fit(&sparse_rows(Some(Forming::new(true))), &settings, &());
            let error = broken.err().unwrap().to_string();
            assert!(error.contains("it is broken"), "{error}");
        }
    }
}

#[test]
fn sums_of_batches_keep_no_memory_of_a_device() {
    let space = Forming::new(false);
    let sums = Accumulated::first(&sparse_rows(Some(space.clone())), u64::MAX).unwrap();
    let made = space.made.lock().unwrap();
    assert!(made.len() == 4 && made.iter().all(|block| Arc::strong_count(block) == 1));
    let on_host = Accumulated::first(&sparse_rows(None), u64::MAX).unwrap();
    let mut settings = Settings::new(Method::lobpcg(), 3);
    (settings.ridge_x, settings.ridge_y) = (0.01, 0.01);
    let [found, expected] = [&sums, &on_host].map(|sums| fit(&*sums.pair(), &settings, &()).unwrap());
    assert_eq!(found.model.objective, expected.model.objective);
}
