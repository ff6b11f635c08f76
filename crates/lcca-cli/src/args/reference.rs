//! The hidden command `lcca reference`, which writes the documentation page about all commands.

use clap::Args;

/// Print the reference of all commands as Markdown.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca reference > reference.md")]
pub struct ReferenceArgs {}
