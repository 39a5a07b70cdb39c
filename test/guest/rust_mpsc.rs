// rust_mpsc.rs: channels: two senders, messages in any order between them, in order
// from each; the channel ends when the last sender is gone.
//
// (With switches at every atomic instruction inside the channel there are millions of states.)
//
// heddle: verdict=verified outcomes=123,132,312 options="--atomics off"
use std::sync::mpsc;
use std::thread;

#[path = "heddle.rs"]
mod heddle;

fn main() {
    let (tx, rx) = mpsc::channel();
    let tx2 = tx.clone();
    let a = thread::spawn(move || {
        tx.send(1).unwrap();
        thread::yield_now();
        tx.send(2).unwrap();
    });
    let b = thread::spawn(move || tx2.send(3).unwrap());
    let mut order = 0;
    for n in rx {
        order = order * 10 + n;
    }
    a.join().unwrap();
    b.join().unwrap();
    heddle::outcome(order);
}
