//! On some systems a linker must be told that Python's symbols come with whoever loads the module.

fn main() {
    pyo3_build_config::add_extension_module_link_args();
}
