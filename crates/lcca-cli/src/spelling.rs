//! What could have been meant by a name that is not there.

/// How many names are suggested.
const FEW: usize = 5;

/// The names spelled most like `word`: fewest letters put in, left out or changed, upper and lower case alike. Names that
/// differ in more than a third of the letters are not like it.
pub fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let letters: Vec<char> = word.to_lowercase().chars().collect();
    let most = (letters.len() / 3).max(1);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        let other: Vec<char> = name.to_lowercase().chars().collect();
        // Cheap, and true of nearly all names.
        if other.len().abs_diff(letters.len()) > most {
            continue;
        }
        let distance = distance(&letters, &other);
        if distance <= most && !found.contains(&(distance, name)) {
            found.push((distance, name));
        }
    }
    found.sort_by_key(|&(distance, _)| distance);
    found.into_iter().take(FEW).map(|(_, name)| name).collect()
}

/// Levenshtein's distance, a row of its table at a time.
fn distance(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (i, letter) in a.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = i + 1;
        for j in 0..b.len() {
            let changed = diagonal + usize::from(*letter != b[j]);
            diagonal = row[j + 1];
            row[j + 1] = changed.min(row[j] + 1).min(diagonal + 1);
        }
    }
    row[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_those_of_the_textbook() {
        let of = |a: &str, b: &str| distance(&a.chars().collect::<Vec<_>>(), &b.chars().collect::<Vec<_>>());
        assert_eq!(
            [of("kitten", "sitting"), of("", "abc"), of("été", "ete"), of("same", "same")],
            [3, 3, 2, 0]
        );
    }

    #[test]
    fn the_fewest_changes_come_first() {
        let names = ["horse", "mouse", "House", "hose", "elephant", "houses", "house boat"];
        assert_eq!(closest("house", names), ["House", "horse", "mouse", "hose", "houses"]);
        assert!(closest("zzzzzz", names).is_empty());
    }
}
