//! Tests decompositions of small matrices on a GPU against those of the host. They are ignored unless
//! `cargo xtask test --gpu` runs them.

mod common;

use common::gpu_with;
use faer::Mat;
use lcca::decompose::{Decompose, Leading, OnHost, Singular};
use lcca_cuda::Cuda;
use std::sync::Arc;

fn gpu() -> Arc<Cuda> {
    gpu_with(None)
}

/// Numbers between -0.5 and 0.5 that depend on the seed.
fn random(rows: usize, cols: usize, seed: u64) -> Mat<f64> {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    Mat::from_fn(rows, cols, |_, _| {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        (state >> 11) as f64 / (1u64 << 53) as f64 - 0.5
    })
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn leading_singular_vectors_are_those_of_the_host() {
    let cuda = gpu();
    for (rows, cols) in
        [(96, 61), (128, 120), (130, 256), (256, 256), (200, 250), (257, 129), (400, 420), (768, 700)]
    {
        let size = rows.min(cols);
        let [u, v] =
            [(rows, 3), (cols, 4)].map(|(edge, seed)| random(edge, size, seed).qr().compute_thin_Q());
        // Ties at 1, values that fall off, and values so uneven that the host takes over.
        let tied = |j: usize| if j < size / 4 { 1.0 } else { 0.9 / (1.0 + j as f64 / size as f64) };
        let noisy = |j: usize| if j < size / 3 { 1.0 - 1e-9 * j as f64 } else { 1e-13 };
        let steep = |j: usize| 0.5f64.powi(j as i32);
        let values: [&dyn Fn(usize) -> f64; 3] = [&tied, &noisy, &steep];
        for values in values {
            let scaled = Mat::from_fn(rows, size, |i, j| u[(i, j)] * values(j));
            let all = [Leading { matrix: &scaled * v.transpose(), count: size / 3 }];
            let Singular { u, values: found, v } = cuda.leading_singular(&all).unwrap().swap_remove(0);
            assert_eq!(found.len(), size / 3);
            for (j, found) in found.iter().enumerate() {
                assert!((found - values(j)).abs() < 1e-13, "{rows} x {cols}: {found} for {}", values(j));
            }
            let identity = Mat::<f64>::identity(found.len(), found.len());
            assert!((u.transpose() * &u - &identity).norm_max() < 1e-12);
            assert!((v.transpose() * &v - &identity).norm_max() < 1e-12);
            let scaled = Mat::from_fn(rows, found.len(), |i, j| u[(i, j)] * found[j]);
            assert!((&all[0].matrix * &v - scaled).norm_max() < 1e-12);
        }
    }
}

#[test]
#[ignore = "needs a GPU: cargo xtask test --gpu"]
fn any_matrix_is_decomposed_and_to_the_same_bits_every_time() {
    let cuda = gpu();
    // A matrix of low rank with columns of zeros, and sizes that are left to the host.
    let low = random(200, 50, 7) * random(50, 180, 8);
    let low = Mat::from_fn(200, 180, |i, j| if j % 5 == 0 { 0.0 } else { low[(i, j)] });
    let mut all: Vec<Leading> = vec![Leading { matrix: low, count: 3 }];
    all.extend([1, 7, 119, 300, 769].map(|size| Leading { matrix: random(size, size, 9), count: size / 4 }));
    for one in &all {
        let [found, again] =
            [0, 1].map(|_| cuda.leading_singular(std::slice::from_ref(one)).unwrap().swap_remove(0));
        let host = OnHost.leading_singular(std::slice::from_ref(one)).unwrap().swap_remove(0);
        assert_eq!(found.values.len(), host.values.len());
        assert!(found.values.iter().zip(&host.values).all(|(a, b)| (a - b).abs() < 1e-12 * host.values[0]));
        assert!(found.values == again.values && found.u == again.u && found.v == again.v);
    }
    // Numbers so small or large that their fourth powers vanish or overflow.
    let plain = [Leading { matrix: random(150, 130, 11), count: 5 }];
    let expected = OnHost.leading_singular(&plain).unwrap().swap_remove(0).values;
    for scale in [1e-120, 1e120] {
        let matrix = Mat::from_fn(150, 130, |i, j| scale * plain[0].matrix[(i, j)]);
        let found = cuda.leading_singular(&[Leading { matrix, count: 5 }]).unwrap().swap_remove(0).values;
        let is_near = |(a, b): (&f64, &f64)| (a / scale - b).abs() < 1e-12 * expected[0];
        assert!(found.iter().zip(&expected).all(is_near), "{found:?} for {expected:?}");
    }
    let found = cuda.leading_singular(&all).unwrap();
    assert!(found.iter().zip(&all).all(|(found, one)| found.values.len() == one.count));
    assert!(cuda.leading_singular(&[]).unwrap().is_empty());
}
