//! What can be typed after `lcca reference`, which is not listed: it writes the page of the documentation
//! about all commands.

use clap::Args;

/// Print the reference of all commands as Markdown.
#[derive(Args)]
#[command(after_help = "Example:\n  lcca reference > reference.md")]
pub struct ReferenceArgs {}
