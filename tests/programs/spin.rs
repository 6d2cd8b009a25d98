use std::hint::black_box;
use std::thread;

fn main() {
    let threads: Vec<_> = (0..4).map(|_| thread::spawn(|| loop { black_box(1); })).collect();
    for thread in threads {
        let _ = thread.join();
    }
}
