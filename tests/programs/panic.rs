fn main() {
    panic!("out of ideas");
}
