//! The method with the parameters that were typed.

use crate::args::MethodArgs;
use crate::failure::Failure;
use lcca::method::{Inner, Method};

pub fn method(args: &MethodArgs) -> Result<Method, Failure> {
    let name = args.method.as_str();
    let mut method =
        Method::from_name(name).ok_or_else(|| Failure::Usage(format!("there is no method {name}")))?;
    let refused = |parameter: &str, method: &Method| {
        let method = method.full_name();
        Failure::Usage(format!("--{parameter} is no parameter of {method}; leave it out"))
    };
    if let Some(inner) = args.inner.as_deref().and_then(Inner::from_name) {
        method.set_inner(inner).map_err(|_| refused("inner", &method))?;
    }
    let typed = [("t1", args.t1), ("t2", args.t2), ("k-pc", args.k_pc), ("k-rpcca", args.k_rpcca)];
    for (parameter, value) in typed {
        if let Some(value) = value {
            method.set(parameter, value).map_err(|_| refused(parameter, &method))?;
        }
    }
    Ok(method)
}
