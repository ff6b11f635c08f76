//! Tells the linker, on systems that ask for it, that the process that loads the module provides Python's
//! symbols.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
