use std::io::{Write, stderr, stdout};

fn main() {
    let block = [b'x'; 4096];
    while stdout().write_all(&block).is_ok() && stderr().write_all(&block).is_ok() {}
}
