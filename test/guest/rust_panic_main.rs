// rust_panic_main.rs: a panic in main ends the process with status 101: a violation
// only when the exit status is checked.
//
// heddle: verdict=verified text~="exit status 101"
// heddle: verdict=violation kind=exit-status options="--check-exit" message~="101"
// native: exit=101
fn main() {
    std::thread::spawn(|| ()).join().unwrap();
    panic!("main gives up");
}
