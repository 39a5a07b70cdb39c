// rust_deadlock.rs: two Rust mutexes in opposite order. They are futexes underneath;
// the yield between the locks is a step, so the deadlock is reached.
//
// heddle: verdict=violation kind=deadlock message~="waits for mutex b \(Mutex<i32>\), held by thread 2"
// native: any
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let a = Arc::new(Mutex::new(0));
    let b = Arc::new(Mutex::new(0));
    let (a2, b2) = (Arc::clone(&a), Arc::clone(&b));
    let t = thread::spawn(move || {
        let _b = b2.lock().unwrap();
        thread::yield_now();
        let _a = a2.lock().unwrap();
    });
    {
        let _a = a.lock().unwrap();
        thread::yield_now();
        let _b = b.lock().unwrap();
    }
    t.join().unwrap();
}
