// rust_condvar.rs: Condvar with a predicate, wait_timeout that may time out (0) or
// be told (1).
//
// heddle: verdict=verified outcomes=0,1
use std::sync::{Arc, Condvar, Mutex};
use std::thread;
use std::time::Duration;

#[path = "heddle.rs"]
mod heddle;

fn main() {
    let pair = Arc::new((Mutex::new(false), Condvar::new()));
    let other = Arc::clone(&pair);
    let t = thread::spawn(move || {
        *other.0.lock().unwrap() = true;
        other.1.notify_one();
    });
    let (lock, cond) = &*pair;
    let guard = lock.lock().unwrap();
    let (guard, result) = cond
        .wait_timeout_while(guard, Duration::from_millis(100), |ready| !*ready)
        .unwrap();
    heddle::outcome(!result.timed_out() as i64);
    let guard = cond.wait_while(guard, |ready| !*ready).unwrap();
    assert!(*guard);
    drop(guard);
    t.join().unwrap();
}
