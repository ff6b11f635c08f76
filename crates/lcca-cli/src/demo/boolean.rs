//! Generated Boolean features of pages, a stand-in for the URL set: X holds features of the address, Y
//! features of the host.
//!
//! A page has a site, and the site fires a whole branch of features at once: category, network, name, and a
//! near duplicate of each. Columns inside a view are therefore strongly correlated and the Gram matrices
//! far from diagonal, so a method that treats them as diagonal counts every branch several times over. Yet
//! the two views agree only loosely on the site. They agree closely on campaigns: rare, one column per
//! view, hidden under frequent columns.

use super::frequency::{Numbering, counts};
use super::wheel::{Wheel, chance, zipf};
use lcca::matrix::{Matrix, SparseRows, Values};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// The number of pages, in thousandths, that have each of the most frequent features.
const EVERYWHERE: [u64; 3] = [900, 600, 350];
/// The numbers of categories, networks and sites. Each number divides the next, because the branches form a
/// tree.
const LEVELS: [usize; 3] = [10, 100, 1_000];
const SITES: usize = LEVELS[2];
/// How often both views have the same site, in thousandths.
const SAME_SITE: u64 = 600;
/// How often a node of the branch fires, in thousandths.
const FIRES: u64 = 950;
/// How often the near duplicate of a node fires with it, in thousandths. Duplicates of the many small sites
/// are looser: if one page alone told a site from its duplicate, that page would be a perfect correlation
/// by itself.
const DUPLICATE_FIRES: [u64; 3] = [900, 900, 500];
/// The number of campaigns: rare causes that both views see.
const CAMPAIGNS: usize = 40;
/// How often the clearest campaign shows in a view, in thousandths.
const CLEAREST: u64 = 990;
/// How much less often each later campaign shows, in thousandths.
const BLURRING: u64 = 10;
/// The number of words, one per page, that mean nothing to the other view.
const WORDS: usize = 6_000;
/// Columns with fewer ones are dropped, because two such columns can agree by chance alone.
const RARE: usize = 10;

/// The first number of each kind of feature, before columns are sorted by frequency.
const FIRST_NODE: usize = EVERYWHERE.len();
const FIRST_CAMPAIGN: usize = FIRST_NODE + 2 * (LEVELS[0] + LEVELS[1] + LEVELS[2]);
const FIRST_WORD: usize = FIRST_CAMPAIGN + CAMPAIGNS;
const FEATURES: usize = FIRST_WORD + WORDS;

/// The features of `rows` pages, seen from the address (X) and from the host (Y); every stored value is one.
///
/// A view has a column for each feature that at least ten of its pages have, from the most to the least
/// frequent.
pub fn boolean(rows: usize, seed: u64) -> (Matrix, Matrix) {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let web = Web::new();
    let (x, y): (Vec<_>, Vec<_>) = (0..rows).map(|_| web.page(rng)).unzip();
    (matrix(&x), matrix(&y))
}

/// The distributions that pages are drawn from.
struct Web {
    sites: Wheel,
    /// The distribution of campaigns. The last item is no campaign at all.
    campaigns: Wheel,
    words: Wheel,
}

impl Web {
    fn new() -> Self {
        // Seven is prime to the number of campaigns, so a clear campaign may be frequent or rare.
        let campaigns = (0..CAMPAIGNS).map(|campaign| zipf(campaign * 7 % CAMPAIGNS, 10));
        Web {
            sites: Wheel::new((0..SITES).map(|site| zipf(site, 10))),
            campaigns: Wheel::new(campaigns.chain([20 * zipf(0, 0)])),
            words: Wheel::new((0..WORDS).map(|word| zipf(word, 100))),
        }
    }

    /// Draws one page as both views see it.
    fn page(&self, rng: &mut impl Rng) -> (Vec<usize>, Vec<usize>) {
        let campaign = self.campaigns.draw(rng);
        let site = self.sites.draw(rng);
        let other_site = if chance(rng, SAME_SITE) { site } else { self.sites.draw(rng) };
        (self.view(site, campaign, rng), self.view(other_site, campaign, rng))
    }

    /// Draws the features that one view has for a page.
    fn view(&self, site: usize, campaign: usize, rng: &mut impl Rng) -> Vec<usize> {
        let mut features: Vec<usize> =
            (0..EVERYWHERE.len()).filter(|&i| chance(rng, EVERYWHERE[i])).collect();
        fire_branch(site, rng, &mut features);
        if campaign < CAMPAIGNS && chance(rng, CLEAREST - BLURRING * campaign as u64) {
            features.push(FIRST_CAMPAIGN + campaign);
        }
        features.push(FIRST_WORD + self.words.draw(rng));
        features
    }
}

/// Adds the site's category, network and name, each with its near duplicate, except for the nodes that do
/// not fire.
fn fire_branch(site: usize, rng: &mut impl Rng, features: &mut Vec<usize>) {
    let mut first_of_level = FIRST_NODE;
    for (nodes, duplicate_fires) in LEVELS.into_iter().zip(DUPLICATE_FIRES) {
        let feature = first_of_level + 2 * (site % nodes);
        if chance(rng, FIRES) {
            features.push(feature);
            if chance(rng, duplicate_fires) {
                features.push(feature + 1);
            }
        }
        first_of_level += 2 * nodes;
    }
}

/// Rows of ones, without the rare features.
fn matrix(pages: &[Vec<usize>]) -> Matrix {
    let numbering = Numbering::by_frequency(&counts(pages.iter().flatten().copied(), FEATURES), RARE);
    let mut offsets = vec![0];
    let mut columns = Vec::new();
    for page in pages {
        let start = columns.len();
        columns.extend(page.iter().filter_map(|&feature| numbering.new[feature]));
        columns[start..].sort_unstable();
        offsets.push(columns.len() as u64);
    }
    let rows = SparseRows::new(numbering.kept, offsets.into(), columns.into(), Values::Ones);
    rows.expect("columns are numbered from zero and sorted").into()
}

#[cfg(test)]
mod tests {
    use super::super::laws::{checksum, column_counts, columns};
    use super::*;

    #[test]
    fn the_pages_are_the_same_on_every_machine() {
        let (x, y) = boolean(5_000, 1);
        assert_eq!((checksum(&x), checksum(&y)), (1_335_275_716_756_220_004, 2_562_459_384_856_273_078));
        assert_ne!(checksum(&boolean(5_000, 2).0), checksum(&x));
    }

    #[test]
    fn both_views_have_every_page_with_ascending_columns_of_ones() {
        let (x, y) = boolean(5_000, 3);
        assert_eq!((x.rows(), y.rows()), (5_000, 5_000));
        for view in [x, y] {
            assert_eq!(view.kind(), "sparse, all ones");
            assert!((0..view.rows()).all(|row| columns(&view, row).is_sorted_by(|a, b| a < b)));
            assert!((5..=9).contains(&(view.entries() / 5_000)), "{} entries", view.entries());
        }
    }

    #[test]
    fn columns_go_from_very_frequent_to_rare() {
        let (x, y) = boolean(20_000, 4);
        for counts in [column_counts(&x), column_counts(&y)] {
            assert!(counts.is_sorted_by(|a, b| a >= b));
            assert!(counts[0] > 15_000 && counts[counts.len() / 2] < 60 && counts[counts.len() - 1] == RARE);
        }
    }

    /// How often columns `a` and `b` fire on the same row, relative to the geometric mean of how often each
    /// does.
    fn cosine(matrix: &Matrix, a: usize, b: usize) -> f64 {
        let has = |row, column| columns(matrix, row).contains(&column);
        let both = (0..matrix.rows()).filter(|&row| has(row, a) && has(row, b)).count() as f64;
        let counts = column_counts(matrix);
        both / (counts[a] as f64 * counts[b] as f64).sqrt()
    }

    #[test]
    fn most_columns_have_a_near_duplicate() {
        let (x, y) = boolean(20_000, 5);
        for view in [x, y] {
            // Columns are sorted by frequency, so the near duplicate of a category is among the first few
            // dozen.
            let has_duplicate = |&a: &usize| (3..40).any(|b| b != a && cosine(&view, a, b) > 0.9);
            let duplicated = (3..13).filter(has_duplicate).count();
            assert!(duplicated >= 8, "only {duplicated} of ten columns have a near duplicate");
        }
    }
}
