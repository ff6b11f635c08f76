//! The arguments and flags of `lcca completions`.

use clap::Args;

/// Print a completion script for a shell.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca completions bash > ~/.local/share/bash-completion/completions/lcca")]
pub struct CompletionsArgs {
    /// The shell to complete commands in
    pub shell: clap_complete::Shell,
}
