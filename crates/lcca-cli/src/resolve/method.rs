//! The method with its typed parameters.

use crate::args::MethodArgs;
use crate::failure::Failure;
use lcca::Error;
use lcca::method::Method;

pub fn method(args: &MethodArgs) -> Result<Method, Failure> {
    let name = args.method.as_str();
    let method = Method::named(name).ok_or_else(|| Failure::Usage(format!("there is no method {name}")))?;
    let typed = args.parameters.0.iter().map(|(name, text)| (*name, text.as_str()));
    method.configured(typed).map_err(|error| match error {
        Error::NoSuchParameter { parameter, method } => {
            Failure::Usage(format!("--{parameter} is no parameter of {method}; leave it out"))
        }
        other => Failure::Data(other),
    })
}
