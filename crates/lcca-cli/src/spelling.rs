//! What could have been meant by a name that is not there.

/// How many names are suggested.
const FEW: usize = 5;

/// The names spelled most like `word`: fewest letters put in, left out, changed or swapped, upper and lower case alike.
/// Names that differ in more than a third of the letters are not like it.
pub fn closest<'a>(word: &str, names: impl IntoIterator<Item = &'a str>) -> Vec<&'a str> {
    let word = word.to_lowercase();
    let letters = word.chars().count();
    let most = (letters / 3).max(1);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for name in names {
        // Cheap, and true of nearly all names.
        if name.chars().count().abs_diff(letters) > most {
            continue;
        }
        let distance = strsim::osa_distance(&word, &name.to_lowercase());
        if distance <= most && !found.contains(&(distance, name)) {
            found.push((distance, name));
        }
    }
    found.sort_by_key(|&(distance, _)| distance);
    found.into_iter().take(FEW).map(|(_, name)| name).collect()
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
