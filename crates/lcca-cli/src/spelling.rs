//! Suggestions for a name that does not exist.

/// The most names that are suggested.
const SUGGESTIONS: usize = 5;

/// The names spelled most like `word`: those with the fewest letters inserted, omitted, changed or swapped,
/// ignoring case. Names that differ in more than a third of the letters are left out.
pub fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let most_changes = (letters / 3).max(1);
    let mut similar: Vec<(usize, &str)> = Vec::new();
    for name in names {
        // The difference in length is a lower bound of the distance, and it rules out nearly all names
        // cheaply.
        if name.chars().count().abs_diff(letters) > most_changes {
            continue;
        }
        let distance = strsim::osa_distance(&word, &name.to_lowercase());
        if distance <= most_changes && !similar.contains(&(distance, name)) {
            similar.push((distance, name));
        }
    }
    similar.sort_by_key(|&(distance, _)| distance);
    similar.into_iter().take(SUGGESTIONS).map(|(_, name)| name).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_fewest_changes_come_first_and_each_name_once() {
        let names = ["horse", "mouse", "House", "hose", "elephant", "houses", "house boat", "hose"];
        assert_eq!(closest("house", names), ["House", "horse", "mouse", "hose", "houses"]);
        assert_eq!(closest("hosue", names), ["House", "hose"]);
        assert_eq!(closest("ete", ["été", "eté"]), ["eté"]);
        assert!(closest("zzzzzz", names).is_empty());
    }
}
