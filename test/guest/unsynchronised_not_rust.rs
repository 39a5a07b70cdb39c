// unsynchronised_not_rust.rs: what Rust's library shares by means of its own is nothing to tell: locks that are looked at before
// they are taken, the lock of stdout, the table of guard pages.
//
// heddle: verdict=verified text~="Verified, data races not looked at"
// native: exit=0
use std::sync::{Arc, Mutex, RwLock};
use std::thread;

fn main() {
    let list = Arc::new(Mutex::new(Vec::new()));
    let text = Arc::new(RwLock::new(String::from("a")));
    let (list_2, text_2) = (list.clone(), text.clone());
    let one = thread::spawn(move || {
        text.write().unwrap().push('b');
        list.lock().unwrap().push(format!("{}", 1));
    });
    let two = thread::spawn(move || {
        let length = text_2.read().unwrap().len();
        println!("{}", length > 0);
        list_2.lock().unwrap().push(format!("{}", 2));
    });
    one.join().unwrap();
    two.join().unwrap();
}
