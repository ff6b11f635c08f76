//! Generated paths of installed files, in the manner of a Linux distribution: the folder of a file predicts
//! its name.

use crate::demo::wheel::{Wheel, below, chance, zipf};
use rand::{Rng, SeedableRng};
use rand_chacha::ChaCha8Rng;

/// How many packages files belong to.
const PACKAGES: usize = 1_500;

/// How often, in thousandths, a file lies in a folder of another kind, as examples and leftovers do.
const STRAY: u64 = 50;

/// Kinds of files from frequent to rare. In a template, `{p}` is a package, `{w}` a word, `{l}` a language,
/// `{n}` a small number and `{s}` a size.
const KINDS: [&str; 16] = [
    "usr/share/doc/{p}/changelog.Debian.gz",
    "usr/share/doc/{p}/copyright",
    "usr/share/locale/{l}/LC_MESSAGES/{p}.mo",
    "usr/lib/python3/dist-packages/{p}/{w}.py",
    "usr/include/{p}/{w}.h",
    "usr/share/man/man1/{p}.1.gz",
    "usr/share/icons/hicolor/{s}x{s}/apps/{p}.png",
    "usr/share/nodejs/{p}/lib/{w}.js",
    "usr/lib/x86_64-linux-gnu/lib{p}.so.{n}",
    "usr/share/help/{l}/{p}/{w}.page",
    "usr/share/man/{l}/man1/{p}.1.gz",
    "usr/share/perl5/{p}/{w}.pm",
    "usr/share/fonts/truetype/{p}/{p}-Bold.ttf",
    "usr/lib/systemd/system/{p}.service",
    "etc/{p}/{w}.conf",
    "usr/share/applications/{p}.desktop",
];

const WORDS: [&str; 24] = [
    "util", "config", "parser", "index", "main", "error", "types", "server", "client", "buffer", "format",
    "test", "string", "version", "window", "network", "image", "color", "matrix", "stream", "crypto",
    "audio", "event", "cache",
];

const LANGUAGES: [&str; 14] =
    ["de", "fr", "es", "it", "pt_BR", "ru", "ja", "pl", "sv", "cs", "nl", "zh_CN", "tr", "uk"];

const SIZES: [&str; 6] = ["48", "32", "16", "64", "128", "256"];

const SYLLABLES: [&str; 20] = [
    "ka", "lo", "mi", "ter", "gra", "xi", "no", "pel", "sa", "vor", "qu", "bu", "den", "fi", "zo", "ran",
    "cle", "tu", "wa", "ne",
];

/// One path per line.
pub fn paths(rows: usize, seed: u64) -> String {
    let rng = &mut ChaCha8Rng::seed_from_u64(seed);
    let wheel = |items: usize| Wheel::new((0..items).map(|rank| zipf(rank, 4)));
    let (kinds, packages) = (wheel(KINDS.len()), Wheel::new((0..PACKAGES).map(|rank| zipf(rank, 60))));
    let mut text = String::new();
    for _ in 0..rows {
        let (folder, file) = split(KINDS[kinds.draw(rng)]);
        let folder = if chance(rng, STRAY) { split(KINDS[kinds.draw(rng)]).0 } else { folder };
        let package = name(packages.draw(rng));
        text.push_str(&filled(&format!("{folder}/{file}\n"), &package, rng));
    }
    text
}

/// The folder and the name of a file.
fn split(path: &str) -> (&str, &str) {
    path.rsplit_once('/').unwrap_or(("", path))
}

fn filled(template: &str, package: &str, rng: &mut impl Rng) -> String {
    let mut one_of = |items: &[&str]| items[below(rng, items.len() as u64) as usize].to_string();
    template
        .replace("{p}", package)
        .replace("{w}", &one_of(&WORDS))
        .replace("{l}", &one_of(&LANGUAGES))
        .replace("{n}", &one_of(&["0", "1", "2", "3"]))
        .replace("{s}", &one_of(&SIZES))
}

/// The name of a package: its number, written in syllables.
fn name(package: usize) -> String {
    let digit = |place: u32| SYLLABLES[package / SYLLABLES.len().pow(place) % SYLLABLES.len()];
    format!("{}{}{}", digit(0), digit(1), digit(2))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::collections::HashSet;

    #[test]
    fn paths_are_the_same_on_every_machine() {
        let text = paths(20_000, 1);
        assert_eq!(text, paths(20_000, 1));
        assert_eq!(text.lines().next(), Some("usr/lib/python3/dist-packages/kawaka/error.py"));
        assert!(!text.contains('{') && text.lines().all(|line| line.contains('/')));
    }

    #[test]
    fn packages_have_different_names() {
        assert_eq!((0..PACKAGES).map(name).collect::<HashSet<_>>().len(), PACKAGES);
    }
}
