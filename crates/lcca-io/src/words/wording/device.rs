//! Why a fit or a permutation test ran without a GPU.

use lcca::outcome::WithoutGpu;

/// Words the reason as a clause that follows "no GPU was used:".
pub(super) fn without_gpu(reason: &WithoutGpu) -> String {
    match reason {
        WithoutGpu::NothingToCompute => {
            "only LOBPCG, Gram matrices of dense rows and permutation tests are computed there, and the \
             answer was found in another way"
                .into()
        }
        WithoutGpu::TooLittle { operations, least } => {
            format!("it takes about {operations:.0e} operations, and one is used from {least:.0e} on")
        }
        WithoutGpu::Unavailable { message } => message.clone(),
        WithoutGpu::Failed { message } => format!("{message}, so it was begun again on the CPU"),
        // The engine may add reasons that have no sentence yet.
        other => format!("{other:?}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_reason_has_its_clause() {
        let message = || "no driver".to_string();
        let reasons = [
            (WithoutGpu::NothingToCompute, "only LOBPCG"),
            (WithoutGpu::TooLittle { operations: 2e8, least: 1e10 }, "about 2e8 operations"),
            (WithoutGpu::Unavailable { message: message() }, "no driver"),
            (WithoutGpu::Failed { message: message() }, "begun again on the CPU"),
        ];
        for (reason, expected) in reasons {
            let clause = without_gpu(&reason);
            assert!(clause.contains(expected) && !clause.contains(['{', '}']), "{clause}");
        }
    }
}
