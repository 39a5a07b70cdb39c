// rust_sync.rs: scoped threads, Barrier with one leader, Once, park and
// unpark, thread locals with destructors, a bounded sync_channel.
// (Not one of size 0: its receiver counts its yields without bound, and each count is a state.)
//
// heddle: verdict=verified outcomes=1111 options="--atomics off"
use std::cell::RefCell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::sync::{mpsc, Barrier, Once};
use std::thread;

#[path = "heddle.rs"]
mod heddle;

static ONCE: Once = Once::new();
static RAN: AtomicUsize = AtomicUsize::new(0);
static DROPPED: AtomicUsize = AtomicUsize::new(0);

struct Local(usize);
impl Drop for Local {
    fn drop(&mut self) {
        DROPPED.fetch_add(self.0, SeqCst);
    }
}
thread_local!(static LOCAL: RefCell<Local> = RefCell::new(Local(1)));

fn main() {
    let leaders = AtomicUsize::new(0);
    let barrier = Barrier::new(2);
    thread::scope(|s| {
        for _ in 0..2 {
            s.spawn(|| {
                ONCE.call_once(|| {
                    thread::yield_now();
                    RAN.fetch_add(1, SeqCst);
                });
                if barrier.wait().is_leader() {
                    leaders.fetch_add(1, SeqCst);
                }
            });
        }
    });
    let (tx, rx) = mpsc::sync_channel(1);
    let t = thread::spawn(move || {
        LOCAL.with(|l| assert_eq!(l.borrow().0, 1));
        thread::park();
        tx.send(1).unwrap();
    });
    t.thread().unpark();
    let got: usize = rx.recv().unwrap();
    t.join().unwrap();
    let all = leaders.load(SeqCst) * 1000 + RAN.load(SeqCst) * 100 + DROPPED.load(SeqCst) * 10 + got;
    heddle::outcome(all as i64);
}
