//! Orders rows so that similar ones are neighbors: hierarchical clustering with average linkage (UPGMA),
//! leaves from left to right.

/// The order of the rows. It takes time cubic in the number of rows, which is a few dozen.
pub fn by_similarity(rows: &[Vec<f64>]) -> Vec<usize> {
    let distance =
        |a: usize, b: usize| rows[a].iter().zip(&rows[b]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
    let average = |a: &[usize], b: &[usize]| {
        let sum: f64 =
            a.iter().flat_map(|&i| b.iter().map(move |&j| (i, j))).map(|(i, j)| distance(i, j)).sum();
        sum / (a.len() * b.len()) as f64
    };
    let mut clusters: Vec<Vec<usize>> = (0..rows.len()).map(|i| vec![i]).collect();
    while clusters.len() > 1 {
        let pairs = (0..clusters.len()).flat_map(|i| (i + 1..clusters.len()).map(move |j| (i, j)));
        let nearest = pairs.min_by(|&(a, b), &(c, d)| {
            average(&clusters[a], &clusters[b]).total_cmp(&average(&clusters[c], &clusters[d]))
        });
        let Some((i, j)) = nearest else { break };
        let right = clusters.remove(j);
        let left = std::mem::take(&mut clusters[i]);
        clusters[i] = joined(left, right, distance);
    }
    clusters.into_iter().next().unwrap_or_default()
}

/// Puts two clusters in a row, turned so that the ends that meet are as similar as possible.
fn joined(mut left: Vec<usize>, mut right: Vec<usize>, distance: impl Fn(usize, usize) -> f64) -> Vec<usize> {
    let turns = [(false, false), (false, true), (true, false), (true, true)];
    let gap = |&(turn_left, turn_right): &(bool, bool)| {
        let inner_left = if turn_left { left[0] } else { left[left.len() - 1] };
        let inner_right = if turn_right { right[right.len() - 1] } else { right[0] };
        distance(inner_left, inner_right)
    };
    let best = turns.into_iter().min_by(|a, b| gap(a).total_cmp(&gap(b))).unwrap_or_default();
    if best.0 {
        left.reverse();
    }
    if best.1 {
        right.reverse();
    }
    left.extend(right);
    left
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn similar_rows_become_neighbors() {
        let rows = [0.0, 1.0, 0.1, 0.9, 0.05].map(|value| vec![value, -value]);
        let order = by_similarity(&rows);
        let group = |row: usize| rows[row][0] > 0.5;
        let changes = order.windows(2).filter(|pair| group(pair[0]) != group(pair[1])).count();
        assert_eq!((order.len(), changes), (5, 1), "{order:?}");
        assert!(by_similarity(&[]).is_empty() && by_similarity(&[vec![1.0]]) == [0]);
    }
}
