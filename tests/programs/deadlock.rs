use std::sync::{Arc, Barrier, Mutex};
use std::thread;

fn main() {
    let locks = Arc::new((Mutex::new(1), Mutex::new(2), Barrier::new(2)));
    let other = Arc::clone(&locks);
    let thread = thread::spawn(move || {
        let _second = other.1.lock();
        other.2.wait();
        let _first = other.0.lock();
    });
    let _first = locks.0.lock();
    locks.2.wait();
    let _second = locks.1.lock();
    let _ = thread.join();
}
