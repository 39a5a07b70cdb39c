// Two threads see one element, and both take it: one of them panics, and main because of it.
use std::sync::{Arc, Mutex};
use std::thread;

fn main() {
    let shelf = Arc::new(Mutex::new(vec![1]));
    let threads = [0, 1].map(|_| {
        let shelf = shelf.clone();
        thread::spawn(move || {
            let full = !shelf.lock().unwrap().is_empty();
            if full {
                shelf.lock().unwrap().pop().expect("an element");
            }
        })
    });
    for thread in threads {
        thread.join().unwrap();
    }
}
