use std::fs::{Permissions, set_permissions, write};
use std::os::unix::fs::PermissionsExt;

fn main() {
    write("out", "answer").unwrap();
    set_permissions("out", Permissions::from_mode(0)).unwrap();
    set_permissions(".", Permissions::from_mode(0)).unwrap();
}
