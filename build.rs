//! Rebuilds when a template is added: `include_dir!` alone only notices changed ones.

fn main() {
    println!("cargo:rerun-if-changed=templates");
}
