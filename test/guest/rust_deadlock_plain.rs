// rust_deadlock_plain.rs: two Rust mutexes in opposite order, and no call in between: a lock that is
// free is taken by one atomic instruction, and that is where threads must be able to switch.
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
        let mut y = b2.lock().unwrap();
        let mut x = a2.lock().unwrap();
        *x += 1;
        *y += 1;
    });
    {
        let mut x = a.lock().unwrap();
        let mut y = b.lock().unwrap();
        *x += 1;
        *y += 1;
    }
    t.join().unwrap();
}
