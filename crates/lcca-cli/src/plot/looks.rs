//! One look per method in all drawings: in the demo, in a comparison, and on its page.

/// The methods in the order of their looks.
const METHODS: [&str; 6] = ["L-CCA", "G-CCA", "RPCCA", "D-CCA", "auto", "Sketch"];

/// The number of a method's color and marker; `None` for other names.
pub fn method_look(name: &str) -> Option<usize> {
    METHODS.iter().position(|method| *method == name)
}

/// The numbers of the looks of some names, all different: methods have fixed looks, and other names take
/// free ones.
pub fn looks(names: &[&str]) -> Vec<usize> {
    let mut free = (0..).filter(|look| !names.iter().any(|name| method_look(name) == Some(*look)));
    names.iter().map(|name| method_look(name).or_else(|| free.next()).unwrap_or(0)).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_method_looks_the_same_in_any_company() {
        assert_eq!(looks(&["D-CCA", "L-CCA", "G-CCA", "RPCCA"]), [3, 0, 1, 2]);
        assert_eq!(looks(&["L-CCA", "Sketch", "D-CCA"]), [0, 5, 3]);
        assert_eq!(looks(&["mine", "G-CCA", "other"]), [0, 1, 2]);
    }
}
