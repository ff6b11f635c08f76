//! The method and its parameters.
//!
//! Names, help, defaults and choices come from the engine's description of its methods, so a new method or
//! parameter needs no change here.

use clap::builder::PossibleValuesParser;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use lcca::method::{Method, Parameter, Spec};
use std::fmt::Write as _;

/// The width that help is wrapped at.
const HELP_WIDTH: usize = 100;
/// The column at which summaries of methods begin.
const SUMMARY_COLUMN: usize = 16;

#[derive(Args)]
pub struct MethodArgs {
    /// The method that computes the fit; see below
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = PossibleValuesParser::new(Method::names()))]
    pub method: String,
    #[command(flatten)]
    pub parameters: ParameterArgs,
    /// Extra columns carried along [default: half of k for lobpcg, 10 for the randomized SVD]
    #[arg(long, value_name = "N")]
    pub oversample: Option<usize>,
    /// Power iterations of the randomized SVD
    #[arg(long, value_name = "N", default_value_t = 2)]
    pub power: usize,
}

/// The typed parameters of methods: names, and values as text.
pub struct ParameterArgs(pub Vec<(&'static str, String)>);

impl Args for ParameterArgs {
    fn augment_args(command: Command) -> Command {
        command.args(Method::parameters().into_iter().map(|(parameter, _)| flag(parameter)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl FromArgMatches for ParameterArgs {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let names = Method::parameters().into_iter().map(|(parameter, _)| parameter.name);
        let typed = names.filter_map(|name| Some((name, matches.get_one::<String>(name)?.clone())));
        Ok(ParameterArgs(typed.collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Self::from_arg_matches(matches)?;
        Ok(())
    }
}

fn flag(parameter: &'static Parameter) -> Arg {
    let flag = Arg::new(parameter.name).long(parameter.name).help(parameter_help(parameter));
    if parameter.choices.is_empty() {
        let number = |text: &str| text.parse::<usize>().map(|_| text.to_string());
        flag.value_name("N").value_parser(number)
    } else {
        flag.value_name("NAME").value_parser(PossibleValuesParser::new(parameter.choices))
    }
}

/// The help of a parameter with its default for each method that has it: "… [default: 38 for l-cca, 51 for
/// g-cca]".
fn parameter_help(parameter: &Parameter) -> String {
    let mut defaults: Vec<(String, Vec<String>)> = Vec::new();
    for spec in Method::specs() {
        let Some(own) = spec.parameters().find(|own| own.name == parameter.name) else { continue };
        let default = own.format(own.default);
        let user = method_with(spec, parameter.name);
        match defaults.iter_mut().find(|(known, _)| *known == default) {
            Some((_, users)) => users.push(user),
            None => defaults.push((default, vec![user])),
        }
    }
    let defaults = defaults.iter().map(|(default, users)| format!("{default} for {}", listed(users)));
    let defaults = defaults.collect::<Vec<_>>().join(", ");
    let mut letters = parameter.help.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{} [default: {defaults}]", letters.as_str())
}

/// Names as a list in words: "a", "a and b", "a, b and c".
fn listed(names: &[String]) -> String {
    match names {
        [] => String::new(),
        [one] => one.clone(),
        [front @ .., last] => format!("{} and {last}", front.join(", ")),
    }
}

/// The spelling of the method that has a parameter. A parameter may exist only with a certain choice of
/// another one: "als --inner cg".
fn method_with(spec: &Spec, parameter: &str) -> String {
    let Some(method) = Method::named(spec.name) else { return spec.name.into() };
    if method.get(parameter).is_none() {
        for (choice, _) in method.settings() {
            for (index, value) in choice.choices.iter().enumerate() {
                if method.with(choice.name, index).is_ok_and(|method| method.get(parameter).is_some()) {
                    return format!("{} --{} {value}", spec.name, choice.name);
                }
            }
        }
    }
    spec.name.into()
}

/// The methods in a list: the name, summary and flags of each.
pub fn methods_help() -> String {
    let mut text = String::from("Methods:\n");
    for spec in Method::specs() {
        let mut names: Vec<&str> = Vec::new();
        for parameter in spec.parameters() {
            if !names.contains(&parameter.name) {
                names.push(parameter.name);
            }
        }
        let flags: Vec<String> = names.iter().map(|name| format!("--{name}")).collect();
        let flags = if flags.is_empty() { String::new() } else { format!(" ({})", flags.join(" ")) };
        let mut line = format!("  {:<width$}", spec.name, width = SUMMARY_COLUMN - 2);
        let mut is_empty = true;
        for word in format!("{}{flags}", spec.summary).split(' ') {
            if !is_empty && line.chars().count() + 1 + word.chars().count() > HELP_WIDTH {
                let _ = writeln!(text, "{line}");
                line = " ".repeat(SUMMARY_COLUMN);
                is_empty = true;
            }
            let _ = write!(line, "{}{word}", if is_empty { "" } else { " " });
            is_empty = false;
        }
        let _ = writeln!(text, "{line}");
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_parameter_names_the_methods_that_have_it_with_their_defaults() {
        let (t2, _) = Method::parameters().into_iter().find(|(parameter, _)| parameter.name == "t2").unwrap();
        let help = parameter_help(t2);
        for default in ["38 for l-cca", "51 for g-cca", "500 for als --inner cg"] {
            assert!(help.contains(default), "{help}");
        }
    }

    #[test]
    fn every_parameter_is_a_flag_and_every_method_has_an_entry() {
        let command = ParameterArgs::augment_args(Command::new("fit"));
        for (parameter, _) in Method::parameters() {
            assert!(command.get_arguments().any(|flag| flag.get_long() == Some(parameter.name)));
        }
        let help = methods_help();
        for spec in Method::specs() {
            assert!(help.contains(&format!("\n  {} ", spec.name)), "{help}");
            for parameter in spec.parameters() {
                assert!(help.contains(&format!("--{}", parameter.name)), "{help}");
            }
        }
        assert!(help.lines().all(|line| line.chars().count() <= HELP_WIDTH), "{help}");
    }
}
