// Rust's Mutex is a word and a futex; people want to see a lock, what is in it and who holds it.
use std::sync::{Arc, Mutex};
use std::thread;

struct Account {
    balance: i64,
}

fn transfer(from: &Mutex<Account>, to: &Mutex<Account>, amount: i64) {
    let mut a = from.lock().unwrap();
    let mut b = to.lock().unwrap();
    a.balance -= amount;
    b.balance += amount;
}

fn main() {
    let left = Arc::new(Mutex::new(Account { balance: 100 }));
    let right = Arc::new(Mutex::new(Account { balance: 100 }));
    let (a, b) = (left.clone(), right.clone());
    let there = thread::spawn(move || transfer(&a, &b, 5));
    let (a, b) = (left.clone(), right.clone());
    let back = thread::spawn(move || transfer(&b, &a, 7));
    there.join().unwrap();
    back.join().unwrap();
}
