// rust_mutex.rs: std::thread, Arc, Mutex, RwLock: a counter under contention (the yield
// inside the lock leads others to the futex).
//
// heddle: verdict=verified outcomes=23
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

#[path = "heddle.rs"]
mod heddle;

fn main() {
    let sum = Arc::new(Mutex::new(0));
    let total = Arc::new(RwLock::new(20));
    let threads: Vec<_> = (1..3)
        .map(|n| {
            let (sum, total) = (Arc::clone(&sum), Arc::clone(&total));
            thread::spawn(move || {
                let mut guard = sum.lock().unwrap();
                let old = *guard;
                thread::yield_now();
                *guard = old + n;
                assert!(*total.read().unwrap() >= 20);
            })
        })
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    *total.write().unwrap() += *sum.lock().unwrap();
    heddle::outcome(*total.read().unwrap());
}
