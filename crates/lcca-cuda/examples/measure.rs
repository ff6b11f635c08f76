//! Measurements on a GPU, one JSON object per line.
//!
//! ```text
//! measure pass X                               XᵀX·B with 32 columns of f32 numbers
//! measure fit X Y K RIDGE TOL DEVICE REPEATS   fits to files, on cpu or cuda
//! measure dense ROWS COLS K DEVICE REPEATS     fits to two dense views of so many columns of f32 numbers,
//! on cpu, on cuda, or there:
//!                                              on cuda with views that lie there; with the seconds until
//!                                              numbers were checked and until
//!                                              moments were known
//! measure copy ROWS COLS                       copies of such a view to cuda
//! measure gram X Y REPEATS                     the joint Gram matrix of files, on cpu and on cuda, there
//! also step by step; with the
//!                                              largest difference of their entries
//! measure decompose SIZE OFF_DIAGONAL          leading singular vectors of a matrix, on cuda and on cpu
//! measure panels ROWS COLS                     an iteration's arithmetic on panels of so many rows and
//! columns: advance and sums over rows measure permute ROWS K ORDERS REPEATS        permutation tests of so
//! many rows of k canonical variables, on cuda and once on
//!                                              cpu; with one of them, it is mostly drawing and copying
//!                                              orders measure certify X Y K RIDGE TOL DEVICE REPEATS   the
//!                                              same fits, and certificates of them measure factor SIZE COLS
//!                                              the Cholesky factor of I + V·Vᵀ, with SIZE rows of V and
//!                                              COLS columns measure block SIZE COLS
//!                                              the Cholesky factor of a dense matrix of so many rows, and
//!                                              solutions with it for a panel
//! ```

use faer::Mat;
use lcca::data::{InMemory, JointGram, JointGrams, Pair, Side};
use lcca::decompose::{Decompose, Leading, OnHost};
use lcca::fit::{fit, permutation_test_in};
use lcca::matrix::{Buffer, DenseRows, DenseValues, Matrix, Panel};
use lcca::method::{Method, Settings};
use lcca::space::{Advance, Host, Reduction, Space, Tall};
use lcca_cuda::measure::{DenseBlock, SinglePass, joint_gram, joint_gram_in_steps};
use lcca_cuda::{DeviceArray, on};
use rayon::prelude::*;
use serde_json::json;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::path::Path;
use std::time::Instant;

/// Runs everything on a thread of the pool, as the command line does.
fn main() -> Result<(), Box<dyn std::error::Error>> {
    let pool = rayon::ThreadPoolBuilder::new().build()?;
    Ok(pool.install(|| run().map_err(|error| error.to_string()))?)
}

fn run() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    match arguments[..] {
        ["pass", path] => pass(path),
        ["fit", x, y, k, ridge, tol, device, repeats] => {
            fits([x, y], k.parse()?, ridge.parse()?, tol.parse()?, device, repeats.parse()?)
        }
        ["certify", x, y, k, ridge, tol, device, repeats] => {
            certificates([x, y], k.parse()?, ridge.parse()?, tol.parse()?, device, repeats.parse()?)
        }
        ["factor", size, cols] => factor(size.parse()?, cols.parse()?),
        ["dense", rows, cols, k, device, repeats] => {
            let (rows, cols): (usize, usize) = (rows.parse()?, cols.parse()?);
            let mut views = [embeddings(rows, cols, 1), embeddings(rows, cols, 2)];
            if device == "there" {
                for view in &mut views {
                    let array = DeviceArray::from_host(0, bytemuck::cast_slice(view.as_slice()))?;
                    *view = Buffer::shared(array, 0, rows * cols)?;
                }
            }
            // Numbers are checked when a matrix is made of them, which is a part of every fit to an array.
            let view = |values: &Buffer<f32>| DenseRows::new(rows, cols, DenseValues::F32(values.clone()));
            let pair = || InMemory::new(view(&views[0])?.into(), view(&views[1])?.into());
            repeat(&pair, &Settings::new(Method::auto(), k.parse()?), device, repeats.parse()?)
        }
        ["copy", rows, cols] => copy(&embeddings(rows.parse()?, cols.parse()?, 1)),
        ["gram", x, y, repeats] => gram([x, y], repeats.parse()?),
        ["decompose", size, off_diagonal] => decompose(size.parse()?, off_diagonal.parse()?),
        ["panels", rows, cols] => panels(rows.parse()?, cols.parse()?),
        ["permute", rows, k, orders, repeats] => {
            permute(rows.parse()?, k.parse()?, orders.parse()?, repeats.parse()?)
        }
        ["block", size, cols] => block(size.parse()?, cols.parse()?),
        _ => Err("measure pass X | fit X Y K RIDGE TOL cpu|cuda REPEATS | certify X Y K RIDGE TOL cpu|cuda \
             REPEATS | factor SIZE COLS | dense ROWS COLS K cpu|cuda|there REPEATS | copy ROWS COLS | gram X \
             Y REPEATS | decompose SIZE OFF_DIAGONAL | panels ROWS COLS | permute ROWS K ORDERS REPEATS | \
             block SIZE COLS"
            .into()),
    }
}

/// Measures the bytes per second of copies to the GPU.
fn copy(view: &Buffer<f32>) -> Result<(), Box<dyn std::error::Error>> {
    let bytes: &[u8] = bytemuck::cast_slice(view.as_slice());
    let mut rates = Vec::new();
    for _ in 0..5 {
        let start = Instant::now();
        drop(DeviceArray::from_host(0, bytes)?);
        rates.push(bytes.len() as f64 / start.elapsed().as_secs_f64());
    }
    println!("{}", json!({"bytes": bytes.len(), "bytes_per_second": median(rates)}));
    Ok(())
}

/// Measures the seconds that the joint Gram matrix of two sparse views takes if their moments are known: on
/// the host, on the GPU, where it stays, and until the host has a copy of it.
fn gram([x, y]: [&str; 2], repeats: usize) -> Result<(), Box<dyn std::error::Error>> {
    let read = |path: &str| lcca_io::read_matrix(Path::new(path)).map(|loaded| loaded.matrix);
    let pair = InMemory::new(read(x)?, read(y)?)?;
    pair.moments(Side::X)?;
    pair.moments(Side::Y)?;
    let mut seconds = [Vec::new(), Vec::new(), Vec::new()];
    let (mut here, mut there) = (None, None);
    for _ in 0..repeats {
        let start = Instant::now();
        here = Some(pair.joint_gram(u64::MAX)?);
        seconds[0].push(start.elapsed().as_secs_f64());
        // As in a fit, the GPU holds no memory from before.
        let cuda = lcca_cuda::open(0, None)?;
        let start = Instant::now();
        there = joint_gram(&cuda, &pair, u64::MAX)?;
        seconds[1].push(start.elapsed().as_secs_f64());
        // Copies the blocks, as the host would if it had to read them.
        there.as_ref().map_or(Ok(()), JointGram::bring)?;
        seconds[2].push(start.elapsed().as_secs_f64());
    }
    let cuda = lcca_cuda::open(0, None)?;
    let (last, steps) = (Cell::new(Instant::now()), RefCell::new(BTreeMap::<&str, f64>::new()));
    let after = |step: &'static str| {
        let now = Instant::now();
        *steps.borrow_mut().entry(step).or_default() += (now - last.replace(now)).as_secs_f64();
    };
    joint_gram_in_steps(&cuda, &pair, &after)?;
    let (Some(here), Some(there)) = (here, there) else {
        return Err("the GPU left it to the host".into());
    };
    there.bring()?;
    println!(
        "{}",
        json!({"device": cuda.device().name(), "rows": pair.shape().rows, "entries": there.entries(),
            "difference": difference(&here, &there), "cpu": seconds[0], "gpu": seconds[1], "brought": seconds[2], "steps": steps.into_inner()})
    );
    Ok(())
}

/// Measures the seconds that a permutation test takes on the GPU and on the host.
fn permute(rows: usize, k: usize, orders: usize, repeats: usize) -> Result<(), Box<dyn std::error::Error>> {
    let panel = |seed: u64| {
        let scale = (12.0 / rows as f64).sqrt();
        let entry = |i: usize, j: usize| {
            let [shared, own] = [0, seed].map(|seed| f64::from(number(i as u64, seed << 32 | j as u64)));
            scale * (0.02 * shared + own)
        };
        Panel::from_fn(rows, k, entry)
    };
    let [x, y] = [panel(1), panel(2)];
    let mut seconds = Vec::new();
    let timed = |space: &dyn Space| {
        let start = Instant::now();
        let test = permutation_test_in(space, &x, &y, orders, 1, &())?;
        Ok::<_, lcca::Error>((test, start.elapsed().as_secs_f64()))
    };
    let (here, on_host) = timed(&Host)?;
    let mut is_same = true;
    for _ in 0..repeats {
        // As in a test, the GPU holds no memory from before.
        let cuda = lcca_cuda::open(0, None)?;
        let (there, took) = timed(&*cuda)?;
        is_same &= here == there;
        seconds.push(took);
    }
    println!(
        "{}",
        json!({"rows": rows, "k": k, "orders": orders, "cpu": on_host, "gpu": seconds, "is_same": is_same, "p": here.p})
    );
    Ok(())
}

/// The largest difference of two Gram matrices, relative to the entry; `None` if other entries are stored.
fn difference(a: &JointGram, b: &JointGram) -> Option<f64> {
    let mut worst = 0.0f64;
    for (target, source) in [(Side::X, Side::X), (Side::X, Side::Y), (Side::Y, Side::X), (Side::Y, Side::Y)] {
        let (Matrix::Sparse(a), Matrix::Sparse(b)) = (a.block(target, source), b.block(target, source))
        else {
            return None;
        };
        if !a.offsets().iter().eq(b.offsets().iter()) || !a.columns().iter().eq(b.columns().iter()) {
            return None;
        }
        for entry in 0..a.entries() as usize {
            let (a, b) = (a.values().get(entry), b.values().get(entry));
            if a != b {
                worst = worst.max((a - b).abs() / a.abs().max(b.abs()));
            }
        }
    }
    Some(worst)
}

/// The median of some numbers.
fn median(mut numbers: Vec<f64>) -> f64 {
    numbers.sort_by(f64::total_cmp);
    numbers[numbers.len() / 2]
}

/// XᵀX·B of a sparse file, with 32 columns of f32 numbers.
fn pass(path: &str) -> Result<(), Box<dyn std::error::Error>> {
    let cuda = lcca_cuda::open(0, None)?;
    let view = lcca_io::read_matrix(Path::new(path))?.matrix;
    let (rows, cols, entries, width) = (view.rows(), view.cols(), view.entries() as f64, 32);
    let panel: Vec<f32> = (0..cols * width).map(|i| ((i * 7919) % 1000) as f32 / 1000.0 - 0.5).collect();
    let pass = SinglePass::new(&cuda, &view, &panel, width)?;
    (0..3).try_for_each(|_| pass.run())?;
    let mut times = Vec::new();
    for _ in 0..20 {
        let start = Instant::now();
        pass.run()?;
        times.push(start.elapsed().as_secs_f64() * 1e3);
    }
    let ms = median(times);
    // The least bytes that must cross the memory: indices of both orders, the panel and the product, and z,
    // which is written and read once.
    let least = 8.0 * entries + (2 * (cols + rows) * width * 4) as f64;
    // The bytes that kernels ask for: a row of the panel for each entry, twice. Caches answer most of these
    // requests.
    let asked = 2.0 * entries * (4 + width * 4) as f64;
    println!(
        "{}",
        json!({"device": cuda.device().name(), "rows": rows, "cols": cols, "entries": entries, "ms": ms,
            "error": error_of(&view, &panel, width, &pass.product()?),
            "least_bytes_per_second": least / ms * 1e3, "asked_bytes_per_second": asked / ms * 1e3})
    );
    Ok(())
}

/// The largest difference from sums in f64 over some columns, relative to the largest number.
fn error_of(view: &Matrix, panel: &[f32], width: usize, product: &[f32]) -> f64 {
    let watched: Vec<usize> = (0..view.cols()).step_by(view.cols() / 97).collect();
    let mut place = vec![usize::MAX; view.cols()];
    watched.iter().enumerate().for_each(|(i, &column)| place[column] = i);
    let mut expected = vec![0.0f64; watched.len() * width];
    let mut z = vec![0.0f64; width];
    for row in 0..view.rows() {
        z.fill(0.0);
        let mut is_watched = false;
        view.for_each(row, |column, _| is_watched |= place[column] != usize::MAX);
        if !is_watched {
            continue;
        }
        view.for_each(row, |column, value| {
            (0..width).for_each(|j| z[j] += value * f64::from(panel[column * width + j]));
        });
        view.for_each(row, |column, value| {
            if place[column] != usize::MAX {
                (0..width).for_each(|j| expected[place[column] * width + j] += value * z[j]);
            }
        });
    }
    let largest = expected.iter().fold(0.0f64, |most, value| most.max(value.abs()));
    let mut worst = 0.0f64;
    for (i, &column) in watched.iter().enumerate() {
        for j in 0..width {
            worst = worst.max((f64::from(product[column * width + j]) - expected[i * width + j]).abs());
        }
    }
    worst / largest
}

fn fits(
    [x, y]: [&str; 2],
    k: usize,
    ridge: f64,
    tol: f64,
    device: &str,
    repeats: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let read = |path: &str| lcca_io::read_matrix(Path::new(path)).map(|loaded| loaded.matrix);
    let views = [read(x)?, read(y)?];
    let pair = || InMemory::new(views[0].clone(), views[1].clone());
    let mut settings = Settings::new(Method::auto(), k);
    (settings.ridge_x, settings.ridge_y, settings.tol) = (ridge, ridge, tol);
    settings.memory = 32 << 30;
    repeat(&pair, &settings, device, repeats)
}

/// Measures fits and their certificates: the seconds of each, what was said to be missing, and what was
/// proven.
fn certificates(
    [x, y]: [&str; 2],
    k: usize,
    ridge: f64,
    tol: f64,
    device: &str,
    repeats: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    let read = |path: &str| lcca_io::read_matrix(Path::new(path)).map(|loaded| loaded.matrix);
    let views = [read(x)?, read(y)?];
    let mut settings = Settings::new(Method::auto(), k);
    (settings.ridge_x, settings.ridge_y, settings.tol) = (ridge, ridge, tol);
    settings.memory = 32 << 30;
    for _ in 0..repeats {
        let mut pair = InMemory::new(views[0].clone(), views[1].clone())?;
        let start = Instant::now();
        if device != "cpu" {
            pair = lcca::space::place(pair, lcca_cuda::open(0, None)?);
        }
        let mut fit = fit(&pair, &settings, &Clock(start))?;
        let (fitted, claimed) = (start.elapsed().as_secs_f64(), fit.missing);
        fit.certify(&pair, &Clock(start))?;
        println!(
            "{}",
            json!({"device": device, "k": k, "seconds": start.elapsed().as_secs_f64(), "fit": fitted,
                "total": fit.model.objective.iter().sum::<f64>(), "claimed": claimed, "missing": fit.missing,
                "converged": fit.converged, "certificate": fit.certificate, "decisions": fit.decisions})
        );
    }
    Ok(())
}

/// Measures the milliseconds that the factor of I + V·Vᵀ takes, and solutions for as many columns, of which
/// the largest error is shown.
fn factor(size: usize, cols: usize) -> Result<(), Box<dyn std::error::Error>> {
    let cuda = lcca_cuda::open(0, None)?;
    let random = |i: usize, j: usize| f64::from(number(i as u64, j as u64));
    let lifting = Mat::from_fn(size, cols, random);
    let mut block = DenseBlock::lifted(&cuda, lifting.as_ref())?;
    let mut factorized = Vec::new();
    for _ in 0..4 {
        factorized.push(block.factorize()?.ok_or("a pivot is not positive")?.as_secs_f64() * 1e3);
    }
    let known = Mat::from_fn(size, cols, |i, j| random(i, j + (1 << 30)));
    let right = &known + &lifting * (lifting.transpose() * &known);
    let panel: Vec<f64> = (0..size * cols).map(|e| right[(e / cols, e % cols)]).collect();
    let [forward, backward] = block.solve(&panel, cols)?.ok_or("there is no factor")?;
    let error = |(e, found): (usize, &f64)| (found - known[(e / cols, e % cols)]).abs();
    let error = backward.numbers.iter().enumerate().map(error).fold(0.0, f64::max);
    let teraflops = (size as f64).powi(3) / 3.0 / median(factorized.clone()) / 1e9;
    println!(
        "{}",
        json!({"device": cuda.device().name(), "size": size, "cols": cols, "factorize_ms": factorized,
            "teraflops": teraflops, "forward_ms": forward.took.as_secs_f64() * 1e3,
            "backward_ms": backward.took.as_secs_f64() * 1e3, "error": error})
    );
    Ok(())
}

/// Measures the milliseconds that the factor of a well-conditioned matrix takes, and solutions with it, and
/// the largest error of the solutions. For this, the host forms the product of the matrix with a known
/// panel, which the GPU then recovers.
fn block(size: usize, cols: usize) -> Result<(), Box<dyn std::error::Error>> {
    let cuda = lcca_cuda::open(0, None)?;
    let scale = 1.0 / (size as f64).sqrt();
    let entry = |i: usize, j: usize| {
        if i == j { 1.0 } else { scale * f64::from(number(i.max(j) as u64, i.min(j) as u64)) }
    };
    let mut matrix = vec![0.0; size * size];
    matrix.par_chunks_mut(size).enumerate().for_each(|(i, row)| {
        row.iter_mut().enumerate().for_each(|(j, value)| *value = entry(i, j));
    });
    let known: Vec<f64> = (0..size * cols).map(|e| f64::from(number(1 + e as u64, 1 << 40))).collect();
    let mut panel = vec![0.0; size * cols];
    panel.par_chunks_mut(cols).zip(matrix.par_chunks(size)).for_each(|(out, row)| {
        for (factor, known) in row.iter().zip(known.chunks_exact(cols)) {
            out.iter_mut().zip(known).for_each(|(out, known)| *out += factor * known);
        }
    });
    let mut block = DenseBlock::new(&cuda, size, &matrix)?;
    let (mut factorized, mut solved) = (Vec::new(), [Vec::new(), Vec::new()]);
    let mut error = 0.0f64;
    // The first repeat does not count, because it starts kernels and takes memory for the first time.
    for repeat in 0..11 {
        let took = block.factorize()?.ok_or("a pivot is not positive")?;
        let [forward, backward] = block.solve(&panel, cols)?.ok_or("there is no factor")?;
        let differences = backward.numbers.iter().zip(&known).map(|(a, b)| (a - b).abs());
        error = error.max(differences.fold(0.0, f64::max));
        if repeat > 0 {
            factorized.push(took.as_secs_f64() * 1e3);
            solved[0].push(forward.took.as_secs_f64() * 1e3);
            solved[1].push(backward.took.as_secs_f64() * 1e3);
        }
    }
    let [forward, backward] = solved;
    println!(
        "{}",
        json!({"device": cuda.device().name(), "size": size, "cols": cols, "factorize_ms": median(factorized),
            "forward_ms": median(forward), "backward_ms": median(backward), "error": error})
    );
    Ok(())
}

/// Measures the milliseconds that the leading third of the singular vectors takes for a matrix that is more
/// or less diagonal.
fn decompose(size: usize, off_diagonal: f64) -> Result<(), Box<dyn std::error::Error>> {
    let cuda = lcca_cuda::open(0, None)?;
    let matrix = Mat::from_fn(size, size, |i, j| {
        let diagonal = if i == j { 1.0 - 0.2 * i as f64 / size as f64 } else { 0.0 };
        diagonal + off_diagonal * f64::from(number(i as u64, j as u64))
    });
    let leading = [Leading { matrix, count: size / 3 }];
    for (device, by) in [("cuda", &*cuda as &dyn Decompose), ("cpu", &OnHost)] {
        let mut times = Vec::new();
        for _ in 0..11 {
            let start = Instant::now();
            by.leading_singular(&leading)?;
            times.push(start.elapsed().as_secs_f64() * 1e3);
        }
        println!(
            "{}",
            json!({"device": device, "size": size, "off_diagonal": off_diagonal, "ms": median(times)})
        );
    }
    Ok(())
}

/// Measures the milliseconds that two operations of an iteration take: advancing W, T and P of one view
/// with their products, and the sums over rows of T that the next iteration needs.
fn panels(rows: usize, cols: usize) -> Result<(), Box<dyn std::error::Error>> {
    let cuda = lcca_cuda::open(0, None)?;
    let panel =
        |seed: u64| Panel::from_fn(rows, cols, |i, j| f64::from(number(i as u64, seed << 32 | j as u64)));
    let upload = |seeds: [u64; 3]| -> lcca::Result<Vec<Tall>> {
        seeds.into_iter().map(|seed| cuda.upload(panel(seed))).collect()
    };
    let (mut w, mut p, t) = (upload([1, 2, 3])?, upload([4, 5, 6])?, upload([7, 8, 9])?);
    let weights = cuda.row_factors(vec![1.0; rows])?;
    // Random matrices, scaled so that numbers do not grow.
    let scale = 1.0 / (cols as f64).sqrt();
    let small: Vec<Mat<f64>> = (0..3)
        .map(|m| Mat::from_fn(cols, cols, |i, j| scale * f64::from(number(i as u64, m << 32 | j as u64))))
        .collect();
    let (mut advanced, mut summed) = (Vec::new(), Vec::new());
    for repeat in 0..11 {
        // A copy waits for the work that was begun.
        cuda.rows(&w[0], &[0])?;
        let start = Instant::now();
        let mut all: Vec<Advance<'_>> =
            w.iter_mut().zip(&mut p).zip(&t).map(|((w, p), t)| Advance { w, p, t }).collect();
        cuda.advance_all(&mut all, [small[0].as_ref(), small[1].as_ref(), small[2].as_ref()])?;
        cuda.rows(&w[0], &[0])?;
        let middle = Instant::now();
        let basis = [&w[0], &t[0], &p[0]];
        let (x, y) = (Reduction::Cross(&[&t[1]], &basis), Reduction::Cross(&[&t[2]], &basis));
        cuda.reduce(&[x, y, Reduction::Squares(&t[0], &weights)])?;
        if repeat > 0 {
            advanced.push((middle - start).as_secs_f64() * 1e3);
            summed.push(middle.elapsed().as_secs_f64() * 1e3);
        }
    }
    println!(
        "{}",
        json!({"device": cuda.device().name(), "rows": rows, "cols": cols, "advance_ms": median(advanced),
            "sums_ms": median(summed)})
    );
    Ok(())
}

/// A hash of two numbers, between -0.5 and 0.5.
fn number(a: u64, b: u64) -> f32 {
    let mut hash = (a.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ b).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    hash = (hash ^ (hash >> 31)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (hash >> 40) as f32 / (1u64 << 24) as f32 - 0.5
}

/// Numbers that follow 40 directions, which other seeds share, with noise.
fn embeddings(rows: usize, cols: usize, seed: u64) -> Buffer<f32> {
    let mut values = vec![0f32; rows * cols];
    values.par_chunks_mut(cols).enumerate().for_each(|(row, values)| {
        for (j, value) in values.iter_mut().enumerate() {
            *value = number(row as u64, (j % 40) as u64) + number(row as u64, seed << 32 | j as u64);
        }
    });
    values.into()
}

/// Measures fits from the arrays to the model. Each starts without the results of the one before.
fn repeat(
    pair: &dyn Fn() -> lcca::Result<InMemory>,
    settings: &Settings,
    device: &str,
    repeats: usize,
) -> Result<(), Box<dyn std::error::Error>> {
    for _ in 0..repeats {
        let start = Instant::now();
        let pair = pair()?;
        let checked = start.elapsed().as_secs_f64();
        let summed: f64;
        let result = if device == "cpu" {
            pair.moments(Side::X)?;
            pair.moments(Side::Y)?;
            summed = start.elapsed().as_secs_f64();
            (fit(&pair, settings, &Clock(start))?, "cpu".to_string())
        } else {
            let cuda = lcca_cuda::open(0, None)?;
            let pair = on(&cuda, &pair);
            pair.moments(Side::X)?;
            pair.moments(Side::Y)?;
            summed = start.elapsed().as_secs_f64();
            let fit = fit(&pair, settings, &Clock(start))?;
            let lies_there = if device == "there" { ", where the views lie" } else { "" };
            (fit, format!("{}{lies_there}", cuda.device().name()))
        };
        let seconds = start.elapsed().as_secs_f64();
        let (fit, device) = result;
        let trace: Vec<f64> = fit.trace.iter().map(|row| row.seconds).collect();
        println!(
            "{}",
            json!({"device": device, "seconds": seconds, "checked": checked, "summed": summed, "total": fit.model.objective.iter().sum::<f64>(),
                "missing": fit.missing, "converged": fit.converged, "iterations": fit.trace.len(),
                "passes": fit.cost.passes, "gram_passes": fit.cost.gram_passes, "trace": trace})
        );
    }
    Ok(())
}

/// A clock that tells the seconds since an instant.
struct Clock(Instant);

impl lcca::watch::Watch for Clock {
    fn seconds(&self) -> f64 {
        self.0.elapsed().as_secs_f64()
    }
}
