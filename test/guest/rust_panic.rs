// rust_panic.rs: a panic in a thread is an Err for join and poisons the mutex it held;
// that is Rust's own business, no violation. The process goes on.
//
// heddle: verdict=verified outcomes=1
use std::sync::{Arc, Mutex};
use std::thread;

#[path = "heddle.rs"]
mod heddle;

fn main() {
    let lock = Arc::new(Mutex::new(0));
    let inner = Arc::clone(&lock);
    let t = thread::Builder::new()
        .name("panics".into())
        .spawn(move || {
            let _guard = inner.lock().unwrap();
            panic!("with the lock held");
        })
        .unwrap();
    let error = t.join().unwrap_err();
    assert_eq!(*error.downcast_ref::<&str>().unwrap(), "with the lock held");
    heddle::outcome(lock.is_poisoned() as i64);
}
