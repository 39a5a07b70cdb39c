// unsynchronised_half_word.rs: a Mutex in the second half of a word of 8 bytes: that its lock is looked at before it is taken is
// nothing to tell, nor is it what lies in the first half.
//
// heddle: verdict=verified text~="Verified, data races not looked at"
// native: exit=0
use std::sync::Mutex;
use std::thread;

#[repr(C, align(8))]
struct Pair {
    before: u32,
    total: Mutex<i32>,
}

static PAIR: Pair = Pair { before: 7, total: Mutex::new(0) };

fn main() {
    let other = thread::spawn(|| *PAIR.total.lock().unwrap() += 1);
    *PAIR.total.lock().unwrap() += 1;
    other.join().unwrap();
    assert!(*PAIR.total.lock().unwrap() == 2 && PAIR.before == 7);
}
