// Invariants over Rust's statics, by their paths; an atomic is the number in it.
//
// heddle: verdict=verified options="--invariant 'COUNT <= 2' --invariant 'inner::LIMIT - 5 <= 1'"
// heddle: verdict=violation kind=invariant message~="COUNT = 2" options="--invariant 'COUNT < 2'"
use std::sync::atomic::{AtomicU32, Ordering};
use std::thread;

static COUNT: AtomicU32 = AtomicU32::new(0);

mod inner {
    use std::sync::atomic::AtomicI64;
    pub static LIMIT: AtomicI64 = AtomicI64::new(5);
}

fn main() {
    let threads: Vec<_> = (0..2)
        .map(|_| thread::spawn(|| COUNT.fetch_add(1, Ordering::SeqCst)))
        .collect();
    for t in threads {
        t.join().unwrap();
    }
    inner::LIMIT.fetch_add(1, Ordering::SeqCst);
}
