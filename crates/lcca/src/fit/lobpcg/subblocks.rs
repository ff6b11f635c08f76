//! Rayleigh–Ritz on [W T P] with smaller decompositions than those of all three together.
//!
//! W is nearly orthonormal, so it is taken out of Z = [T P] first. The remainder is whitened, and an SVD
//! finds the best pairs:
//!
//! ```text
//! WᵀBW = L·Lᵀ,  W̃ = W·L⁻ᵀ,  K = W̃ᵀBZ,  Z̃ = Z − W̃·K,  Hᵀ(ZᵀBZ − KᵀK)·H = I
//! [W̃x Z̃xHx]ᵀCxy[W̃y Z̃yHy] = U·diag(d)·Vᵀ
//! ```
//!
//! Few pairs need no more than that. Many pairs are split into subblocks of neighboring values, each with
//! its own columns of W, T and P. The subblocks together are a basis of the block's size, and a second
//! Rayleigh–Ritz on it makes pairs of them. This is the projected preconditioned conjugate gradient method
//! of Vecharynski, Yang and Pask (2015). One large decomposition saves some iterations, but then most of
//! the time is spent on it.

use crate::decompose::{Decompose, Leading, Singular};
use crate::error::Result;
use crate::fit::pairs::eigenproblem::{SmallProducts, turned};
use crate::small::{self, times};
use crate::whiten::{Explained, Turns, turns_by, whiteners_and_shares, whiteners_of_rests};
use faer::{Mat, MatRef};
use rayon::prelude::*;

/// The number of pairs in a subblock, about.
const SUBBLOCK: usize = 32;
/// The most pairs that are left in one subblock.
const FEW: usize = 64;
/// W may be this far from orthonormal, in the largest entry of WᵀBW − I.
const NEARLY_ORTHONORMAL: f64 = 1e-2;
/// If subblocks depend on each other but for this share, one large decomposition is more exact.
const INDEPENDENT: f64 = 1e-6;

/// The best pairs in the span of [W T P].
pub(in crate::fit) struct Best {
    /// For each view, the weights of the pairs in terms of the columns of [W T P].
    pub coefficients: [Mat<f64>; 2],
    pub theta: Vec<f64>,
    /// The smallest share of a direction that was kept.
    pub share: f64,
    /// The products of the new W and P with each other.
    pub known: SmallProducts,
}

/// The best pairs, as many as W has columns (`size`). `partners` says for each column of T to which pair it
/// belongs. `None` if W is not orthonormal enough or if subblocks depend on each other; then all must be
/// decomposed at once. Directions that depend on others but for the share `cut` are left out.
pub(in crate::fit) fn best(
    by: &dyn Decompose,
    products: &SmallProducts,
    size: usize,
    partners: &[usize],
    cut: f64,
) -> Result<Option<Best>> {
    let count = if size <= FEW { 1 } else { size.div_ceil(SUBBLOCK) };
    let parts = Parts::new(products.x.nrows(), size, partners, count);
    best_in(by, products, size, &parts, cut)
}

/// Which pairs and which columns of Z = [T P] belong to each subblock.
struct Parts {
    /// The first pair of each subblock, and the end.
    bounds: Vec<usize>,
    /// The columns of Z of each subblock.
    columns: Vec<Vec<usize>>,
}

impl Parts {
    fn new(basis: usize, size: usize, partners: &[usize], count: usize) -> Self {
        let bounds: Vec<usize> = (0..=count).map(|part| part * size / count).collect();
        let more = partners.len();
        let columns = bounds.windows(2).map(|bounds| {
            let own = bounds[0]..bounds[1];
            let of_t = (0..more).filter(|&j| own.contains(&partners[j]));
            let of_p = own.clone().map(|pair| more + pair).filter(|&column| column < basis - size);
            of_t.chain(of_p).collect()
        });
        Parts { columns: columns.collect(), bounds }
    }

    fn count(&self) -> usize {
        self.columns.len()
    }

    /// The results of `of_part` for all parts.
    fn for_each<T: Send>(&self, of_part: impl Fn(usize) -> T + Send + Sync) -> Vec<T> {
        (0..self.count()).into_par_iter().map(of_part).collect()
    }

    /// The number of pairs of one part.
    fn own(&self, part: usize) -> usize {
        self.bounds[part + 1] - self.bounds[part]
    }

    fn pairs(&self) -> usize {
        self.bounds[self.count()]
    }

    /// A·S, where the columns of S in a part are `own` on the columns of Z of the part and zero elsewhere.
    fn times(&self, a: MatRef<'_, f64>, own: &[&Mat<f64>]) -> Mat<f64> {
        let product = |part: usize| times(columns_of(a, &self.columns[part]).as_ref(), own[part].as_ref());
        let products = self.for_each(product);
        let mut all = Mat::zeros(a.nrows(), self.pairs());
        for (part, product) in products.iter().enumerate() {
            all.subcols_mut(self.bounds[part], product.ncols()).copy_from(product);
        }
        all
    }

    /// Sᵀ·A, where the columns of S in a part are `own` on the columns of Z of the part and zero elsewhere.
    fn transposed_times(&self, own: &[&Mat<f64>], a: MatRef<'_, f64>) -> Mat<f64> {
        let product = |part: usize| times(own[part].transpose(), rows_of(a, &self.columns[part]).as_ref());
        let products = self.for_each(product);
        let mut all = Mat::zeros(self.pairs(), a.ncols());
        for (part, product) in products.iter().enumerate() {
            all.subrows_mut(self.bounds[part], product.nrows()).copy_from(product);
        }
        all
    }
}

/// One view with W taken out of Z.
struct View<'p> {
    /// L⁻¹, or `None` if that is I.
    inverse: Option<Mat<f64>>,
    /// K.
    along: Mat<f64>,
    /// ZᵀBZ.
    rest: MatRef<'p, f64>,
}

impl<'p> View<'p> {
    /// Takes W out of Z. `None` if W is not orthonormal enough.
    fn new(gram: &'p Mat<f64>, size: usize) -> Option<Self> {
        let (own, more) = (gram.submatrix(0, 0, size, size), gram.nrows() - size);
        let (along, rest) = (gram.submatrix(0, size, size, more), gram.submatrix(size, size, more, more));
        let off = (own - Mat::<f64>::identity(size, size)).norm_max();
        if off == 0.0 {
            // WᵀBW is exactly I in products that were carried along.
            return Some(View { inverse: None, along: along.to_owned(), rest });
        }
        let factor = small::cholesky(own).filter(|_| off < NEARLY_ORTHONORMAL)?;
        let inverse = small::inverse_of_lower(factor.as_ref());
        Some(View { along: times(inverse.as_ref(), along), inverse: Some(inverse), rest })
    }

    /// L⁻¹·M.
    fn solved(&self, m: MatRef<'_, f64>) -> Mat<f64> {
        self.inverse.as_ref().map_or_else(|| m.to_owned(), |inverse| times(inverse.as_ref(), m))
    }

    /// M·L⁻ᵀ.
    fn solved_after(&self, m: MatRef<'_, f64>) -> Mat<f64> {
        self.inverse.as_ref().map_or_else(|| m.to_owned(), |inverse| times(m, inverse.transpose()))
    }

    /// The columns of K for some columns of Z.
    fn along(&self, columns: &[usize]) -> Mat<f64> {
        columns_of(self.along.as_ref(), columns)
    }

    /// ZᵀBZ of some columns of Z, and the part of it that W explains.
    fn to_whiten(&self, columns: &[usize]) -> Explained {
        let along = self.along(columns);
        let gram = columns_of(rows_of(self.rest, columns).as_ref(), columns);
        Explained { gram, explained: times(along.transpose(), along.as_ref()) }
    }
}

/// Some columns of a matrix.
fn columns_of(m: MatRef<'_, f64>, columns: &[usize]) -> Mat<f64> {
    Mat::from_fn(m.nrows(), columns.len(), |i, j| m[(i, columns[j])])
}

/// Some rows of a matrix.
fn rows_of(m: MatRef<'_, f64>, rows: &[usize]) -> Mat<f64> {
    Mat::from_fn(rows.len(), m.ncols(), |i, j| m[(rows[i], j)])
}

/// [A B; C D].
fn joined([[a, b], [c, d]]: [[MatRef<'_, f64>; 2]; 2]) -> Mat<f64> {
    let (rows, cols) = (a.nrows(), a.ncols());
    let mut all = Mat::zeros(rows + c.nrows(), cols + b.ncols());
    all.submatrix_mut(0, 0, rows, cols).copy_from(a);
    all.submatrix_mut(0, cols, rows, b.ncols()).copy_from(b);
    all.submatrix_mut(rows, 0, c.nrows(), cols).copy_from(c);
    all.submatrix_mut(rows, cols, c.nrows(), b.ncols()).copy_from(d);
    all
}

/// Cxy between W̃ and Z.
struct Across<'p> {
    /// W̃xᵀCxyW̃y.
    both: Mat<f64>,
    /// W̃xᵀCxyZy.
    to_z: Mat<f64>,
    /// ZxᵀCxyW̃y.
    from_z: Mat<f64>,
    /// ZxᵀCxyZy.
    rest: MatRef<'p, f64>,
}

impl<'p> Across<'p> {
    fn new(cross: &'p Mat<f64>, size: usize, [x, y]: [&View<'p>; 2]) -> Self {
        let (rows, cols) = (cross.nrows() - size, cross.ncols() - size);
        let (both, (to_z, from_z)) = rayon::join(
            || y.solved_after(x.solved(cross.submatrix(0, 0, size, size)).as_ref()),
            || {
                rayon::join(
                    || x.solved(cross.submatrix(0, size, size, cols)),
                    || y.solved_after(cross.submatrix(size, 0, rows, size)),
                )
            },
        );
        Across { both, to_z, from_z, rest: cross.submatrix(size, size, rows, cols) }
    }
}

/// The best pairs of one subblock: their weights on its own columns of W̃ and of Z̃.
struct OfPart {
    /// The weights on W̃ for each view.
    on_w: [Mat<f64>; 2],
    on_z: [Mat<f64>; 2],
    share: f64,
}

/// The best pairs of all subblocks. Subblocks do not depend on each other, so all are decomposed at the
/// same time.
fn best_of_parts(
    by: &dyn Decompose,
    views: [&View<'_>; 2],
    across: &Across<'_>,
    parts: &Parts,
    cut: f64,
) -> Result<Vec<OfPart>> {
    let count = parts.count();
    // Subblocks of X come first.
    let to_whiten: Vec<Explained> = (0..2 * count)
        .into_par_iter()
        .map(|i| views[i / count].to_whiten(&parts.columns[i % count]))
        .collect();
    let whiteners = whiteners_of_rests(by, &to_whiten, cut)?;
    let of_part = |part: usize| [&whiteners[part], &whiteners[count + part]];
    let whitened = parts.for_each(|part| Leading {
        matrix: across.whitened(views, parts, part, of_part(part).map(|(h, _)| h)),
        count: parts.own(part),
    });
    let singular = by.leading_singular(&whitened)?;
    Ok(parts.for_each(|part| {
        let (own, Singular { u, v, .. }, [x, y]) = (parts.own(part), &singular[part], of_part(part));
        let on_z = |h: &Mat<f64>, turn: &Mat<f64>| times(h.as_ref(), turn.subrows(own, h.ncols()));
        OfPart {
            on_w: [u.subrows(0, own).to_owned(), v.subrows(0, own).to_owned()],
            on_z: [on_z(&x.0, u), on_z(&y.0, v)],
            share: x.1.min(y.1),
        }
    }))
}

impl Across<'_> {
    /// [W̃x Z̃xHx]ᵀCxy[W̃y Z̃yHy] for the columns of one subblock.
    fn whitened(&self, views: [&View<'_>; 2], parts: &Parts, part: usize, h: [&Mat<f64>; 2]) -> Mat<f64> {
        let (first, own, columns) = (parts.bounds[part], parts.own(part), &parts.columns[part]);
        let [kx, ky] = views.map(|view| view.along(columns));
        // W̃xᵀCxyZ̃y, of which the own rows are wanted, and all of them for Z̃xᵀCxyZ̃y.
        let to_z = columns_of(self.to_z.as_ref(), columns) - times(self.both.as_ref(), ky.as_ref());
        let from_z = rows_of(self.from_z.as_ref(), columns);
        let rest = columns_of(rows_of(self.rest, columns).as_ref(), columns)
            - times(kx.transpose(), to_z.as_ref())
            - times(from_z.as_ref(), ky.as_ref());
        let from_own = from_z.subcols(first, own) - times(kx.transpose(), self.both.subcols(first, own));
        let (to_z, from_z) =
            (times(to_z.subrows(first, own), h[1].as_ref()), times(h[0].transpose(), from_own.as_ref()));
        let both = self.both.submatrix(first, first, own, own);
        joined([[both, to_z.as_ref()], [from_z.as_ref(), turned(&rest, h[0], h[1]).as_ref()]])
    }
}

impl Across<'_> {
    /// (W̃x·Dx)ᵀCxy(Zy·Sy) and (Zx·Sx)ᵀCxy(W̃y·Dy).
    fn between(&self, x: &Basis<'_>, y: &Basis<'_>) -> (Mat<f64>, Mat<f64>) {
        rayon::join(
            || times(x.on_w.transpose(), y.parts.times(self.to_z.as_ref(), &y.on_z).as_ref()),
            || times(x.parts.transposed_times(&x.on_z, self.from_z.as_ref()).as_ref(), y.on_w.as_ref()),
        )
    }
}

/// The pairs of all subblocks in one view, W̃·D + Z·S, and their products.
struct Basis<'a> {
    parts: &'a Parts,
    /// S, in the columns of Z of each subblock.
    on_z: Vec<&'a Mat<f64>>,
    /// D.
    on_w: Mat<f64>,
    /// DᵀK·S.
    mixed: Mat<f64>,
    /// SᵀZᵀBZ·S.
    rest: Mat<f64>,
}

impl<'a> Basis<'a> {
    fn new(view: &View<'_>, parts: &'a Parts, all: &'a [OfPart], side: usize) -> Self {
        let on_z: Vec<&Mat<f64>> = all.iter().map(|part| &part.on_z[side]).collect();
        let (along, rest) = rayon::join(
            || parts.times(view.along.as_ref(), &on_z),
            || parts.transposed_times(&on_z, parts.times(view.rest, &on_z).as_ref()),
        );
        let mut on_w = -&along;
        for (part, found) in all.iter().enumerate() {
            let (first, own) = (parts.bounds[part], found.on_w[side].ncols());
            let mut block = on_w.submatrix_mut(first, first, own, own);
            block += &found.on_w[side];
        }
        let mixed = times(on_w.transpose(), along.as_ref());
        Basis { parts, on_z, on_w, mixed, rest }
    }

    /// (W̃·D + Z·S)ᵀB(W̃·D + Z·S).
    fn gram(&self) -> Mat<f64> {
        let on_w = times(self.on_w.transpose(), self.on_w.as_ref());
        on_w + &self.mixed + self.mixed.transpose() + &self.rest
    }

    /// The weights of this basis's pairs, turned by `turn`, in terms of [W Z].
    fn coefficients(&self, view: &View<'_>, turn: &Mat<f64>) -> Mat<f64> {
        let (size, more) = (self.on_w.nrows(), view.rest.nrows());
        let mut all = Mat::zeros(size + more, turn.ncols());
        let on_w = times(self.on_w.as_ref(), turn.as_ref());
        let on_w = match &view.inverse {
            Some(inverse) => times(inverse.transpose(), on_w.as_ref()),
            None => on_w,
        };
        all.subrows_mut(0, size).copy_from(on_w);
        for (part, own) in self.on_z.iter().enumerate() {
            let (first, columns) = (self.parts.bounds[part], &self.parts.columns[part]);
            let turned = times(own.as_ref(), turn.subrows(first, own.ncols()));
            for (i, &column) in columns.iter().enumerate() {
                all.row_mut(size + column).copy_from(turned.row(i));
            }
        }
        all
    }

    /// The coefficients of the pairs of this basis, turned by `turn`, and the products of the new W and P.
    fn finished(&self, view: &View<'_>, turn: &Mat<f64>) -> (Mat<f64>, Mat<f64>) {
        rayon::join(|| self.coefficients(view, turn), || self.known(turn))
    }

    /// The products of the new W and P = Z·S·turn in the metric B.
    fn known(&self, turn: &Mat<f64>) -> Mat<f64> {
        let (mixed, rest) = rayon::join(
            || turned(&(&self.mixed + &self.rest), turn, turn),
            || turned(&self.rest, turn, turn),
        );
        let unit = Mat::<f64>::identity(turn.ncols(), turn.ncols());
        let rest = (&rest + rest.transpose()) * faer::Scale(0.5);
        joined([[unit.as_ref(), mixed.as_ref()], [mixed.transpose(), rest.as_ref()]])
    }
}

fn best_in(
    decompose: &dyn Decompose,
    products: &SmallProducts,
    size: usize,
    parts: &Parts,
    cut: f64,
) -> Result<Option<Best>> {
    let (x, y) = rayon::join(|| View::new(&products.x, size), || View::new(&products.y, size));
    let (Some(x), Some(y)) = (x, y) else { return Ok(None) };
    let across = Across::new(&products.cross, size, [&x, &y]);
    let found = best_of_parts(decompose, [&x, &y], &across, parts, cut)?;
    let share = found.iter().map(|part| part.share).fold(1.0, f64::min);
    let (bx, by) = rayon::join(|| Basis::new(&x, parts, &found, 0), || Basis::new(&y, parts, &found, 1));
    // (W̃x·Dx + Zx·Sx)ᵀCxy(W̃y·Dy + Zy·Sy), term by term.
    let ((to_z, from_z), (rest, both)) = rayon::join(
        || across.between(&bx, &by),
        || {
            rayon::join(
                || parts.transposed_times(&bx.on_z, parts.times(across.rest, &by.on_z).as_ref()),
                || turned(&across.both, &bx.on_w, &by.on_w),
            )
        },
    );
    let cross = both + &to_z + &from_z + &rest;
    let (x_gram, y_gram) = rayon::join(|| bx.gram(), || by.gram());
    let whiteners = whiteners_and_shares(decompose, &[&x_gram, &y_gram], INDEPENDENT)?;
    let [(hx, x_share), (hy, y_share)] = &whiteners[..] else { unreachable!("one whitener per view") };
    if hx.ncols() < size || hy.ncols() < size {
        return Ok(None);
    }
    let share = share.min(*x_share).min(*y_share);
    let Turns { x: ex, y: ey, values: theta } = turns_by(decompose, hx, hy, cross.as_ref(), size)?;
    let across_views = |m: &Mat<f64>| turned(m, &ex, &ey);
    let ((x, y), (to_z, (from_z, rest))) = rayon::join(
        || rayon::join(|| bx.finished(&x, &ex), || by.finished(&y, &ey)),
        || {
            rayon::join(
                || across_views(&(to_z + &rest)),
                || rayon::join(|| across_views(&(from_z + &rest)), || across_views(&rest)),
            )
        },
    );
    let both = Mat::from_fn(size, size, |i, j| if i == j { theta[i] } else { 0.0 });
    let cross = joined([[both.as_ref(), to_z.as_ref()], [from_z.as_ref(), rest.as_ref()]]);
    Ok(Some(Best { coefficients: [x.0, y.0], theta, share, known: SmallProducts { x: x.1, y: y.1, cross } }))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::decompose::OnHost;
    use crate::testing::random_mat;
    use crate::whiten::{CUT, turns, whitener};

    const SIZE: usize = 12;

    /// The products of [W T P] for random data, W being the best pairs of some directions, T and P random
    /// with a part along W and the third column of T zero.
    fn products(more: usize) -> SmallProducts {
        let rows = 80;
        let shared = random_mat(rows, 30, 9);
        let view = |seed: u64| {
            let noise = random_mat(rows, 30, seed);
            Mat::from_fn(rows, 30, |i, j| shared[(i, j)] + (0.2 + 0.05 * j as f64) * noise[(i, j)])
        };
        let (x, y) = (view(1), view(2));
        let (bx, by, cross) = (x.transpose() * &x, y.transpose() * &y, x.transpose() * &y);
        let start = random_mat(30, SIZE, 3);
        let whitened = |b: &Mat<f64>| whitener((start.transpose() * b * &start).as_ref()).unwrap();
        let (hx, hy) = (whitened(&bx), whitened(&by));
        let own = turns(&hx, &hy, (start.transpose() * &cross * &start).as_ref(), SIZE).unwrap();
        let basis = |turn: &Mat<f64>, seed: u64| {
            let (w, z) = (&start * turn, random_mat(30, more + SIZE, seed));
            Mat::from_fn(30, 2 * SIZE + more, |i, j| match j.checked_sub(SIZE) {
                None => w[(i, j)],
                Some(2) => 0.0,
                Some(j) => z[(i, j)] + 40.0 * w[(i, j % SIZE)],
            })
        };
        let (sx, sy) = (basis(&own.x, 4), basis(&own.y, 5));
        SmallProducts {
            x: sx.transpose() * &bx * &sx,
            y: sy.transpose() * &by * &sy,
            cross: sx.transpose() * &cross * &sy,
        }
    }

    /// The objective values over the whole span, from one decomposition.
    fn values_of_all(products: &SmallProducts) -> Vec<f64> {
        let whitened =
            |gram: &Mat<f64>| whiteners_and_shares(&OnHost, &[gram], CUT).unwrap().swap_remove(0).0;
        turns(&whitened(&products.x), &whitened(&products.y), products.cross.as_ref(), SIZE).unwrap().values
    }

    fn difference(a: &Mat<f64>, b: &Mat<f64>) -> f64 {
        (a - b).norm_max()
    }

    #[test]
    fn pairs_are_orthonormal_and_no_worse_than_before_and_one_part_finds_the_best() {
        // To which pairs the columns of T belong: all, the first, some with gaps, and the last ones twice, as
        // when directions that refuted a claim join.
        let all: Vec<usize> = (0..SIZE).collect();
        let cases = [(all.clone(), 1), (all, 3), ((0..5).collect(), 1), ((0..5).collect(), 4)];
        let others = [(vec![1, 4, 5, 9, 11], 3), (vec![0, 3, 10, 11, 10, 11], 4)];
        for (partners, count) in cases.into_iter().chain(others) {
            let products = products(partners.len());
            let parts = Parts::new(products.x.nrows(), SIZE, &partners, count);
            check(&products, &parts);
        }
        // Without P, as in the second iteration.
        let whole = products(SIZE);
        let without = |m: &Mat<f64>| m.submatrix(0, 0, 2 * SIZE, 2 * SIZE).to_owned();
        let whole =
            SmallProducts { x: without(&whole.x), y: without(&whole.y), cross: without(&whole.cross) };
        let partners: Vec<usize> = (0..SIZE).collect();
        check(&whole, &Parts::new(2 * SIZE, SIZE, &partners, 3));
    }

    fn check(products: &SmallProducts, parts: &Parts) {
        let best = best_in(&OnHost, products, SIZE, parts, 1e-11).unwrap().unwrap();
        let [x, y] = &best.coefficients;
        let turned = products.turned(x, y);
        let unit = Mat::<f64>::identity(SIZE, SIZE);
        assert!(difference(&turned.x, &unit).max(difference(&turned.y, &unit)) < 1e-9);
        let theta = Mat::from_fn(SIZE, SIZE, |i, j| if i == j { best.theta[i] } else { 0.0 });
        assert!(difference(&turned.cross, &theta) < 1e-9);
        let all = values_of_all(products);
        for (i, (found, most)) in best.theta.iter().zip(&all).enumerate() {
            assert!(*found > products.cross[(i, i)] && *found < most + 1e-9, "{i}: {found}, {most}");
            assert!(parts.count() > 1 || (found - most).abs() < 1e-9, "{i}: {found} for {most}");
        }
        // [W P] turned, where P is the part outside W.
        let next = |c: &Mat<f64>| {
            Mat::from_fn(c.nrows(), 2 * SIZE, |i, j| match (j < SIZE, i < SIZE) {
                (true, _) => c[(i, j)],
                (false, true) => 0.0,
                (false, false) => c[(i, j - SIZE)],
            })
        };
        let expected = products.turned(&next(x), &next(y));
        let scale = expected.x.norm_max().max(expected.y.norm_max());
        let known = &best.known;
        for (known, expected) in
            [(&known.x, &expected.x), (&known.y, &expected.y), (&known.cross, &expected.cross)]
        {
            assert!(difference(known, expected) < 1e-9 * scale);
        }
    }

    #[test]
    fn what_one_decomposition_must_do_is_left_to_it() {
        let all: Vec<usize> = (0..SIZE).collect();
        let mut skewed = products(SIZE);
        let best_of = |products: &SmallProducts, count: usize| {
            best_in(&OnHost, products, SIZE, &Parts::new(3 * SIZE, SIZE, &all, count), 1e-11).unwrap()
        };
        assert!(best_of(&skewed, 1).is_some());
        skewed.x[(0, 0)] = 1.1;
        assert!(best_of(&skewed, 1).is_none());
        // Every pair would turn to the same direction, which is far better than all others.
        let mut same = products(SIZE);
        for gram in [&mut same.x, &mut same.y] {
            for j in 2 * SIZE..3 * SIZE {
                gram.col_mut(j).fill(0.0);
                gram.row_mut(j).fill(0.0);
            }
            for i in SIZE..2 * SIZE {
                for j in 0..2 * SIZE {
                    let entry = f64::from(j >= SIZE) + f64::from(i == j) * 1e-9;
                    (gram[(i, j)], gram[(j, i)]) = (entry, entry);
                }
            }
        }
        for i in 0..3 * SIZE {
            for j in 0..3 * SIZE {
                if i >= SIZE || j >= SIZE {
                    same.cross[(i, j)] = if (SIZE..2 * SIZE).contains(&i) && (SIZE..2 * SIZE).contains(&j) {
                        0.999
                    } else {
                        0.0
                    };
                }
            }
        }
        let (one, several) = (best_of(&same, 1).unwrap(), best_of(&same, 3));
        assert!((one.theta[0] - 0.999).abs() < 1e-6, "{:?}", one.theta);
        assert!(several.is_none());
    }
}
