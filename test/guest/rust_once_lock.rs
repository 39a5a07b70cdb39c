// rust_once_lock.rs: OnceLock is filled once, and both threads see what is in it.
// Debian 12's own rustc does not have it yet.
//
// needs: rustc 1.70
// heddle: verdict=verified outcomes=1 options="--atomics off"
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::OnceLock;
use std::thread;

#[path = "heddle.rs"]
mod heddle;

static CELL: OnceLock<String> = OnceLock::new();
static RAN: AtomicUsize = AtomicUsize::new(0);

fn make() -> String {
    thread::yield_now();
    RAN.fetch_add(1, SeqCst);
    "made once".to_string()
}

fn main() {
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| assert_eq!(CELL.get_or_init(make), "made once"));
        }
    });
    heddle::outcome(RAN.load(SeqCst) as i64);
}
