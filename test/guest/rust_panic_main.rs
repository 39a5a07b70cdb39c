// rust_panic_main.rs: a panic in main ends the process with status 101 and nothing else; it is a violation, told in the
// program's own words. The same status without a panic means what the program says.
//
// heddle: verdict=violation kind=assert where="rust_panic_main.rs:13" message~="panicked at .*rust_panic_main.rs:.*main gives up"
// heddle: verdict=verified args=status text~="exit status 101"
// heddle: verdict=violation kind=exit-status args=status options="--check-exit" message~="101"
// native: exit=101
fn main() {
    std::thread::spawn(|| ()).join().unwrap();
    if std::env::args().len() > 1 {
        std::process::exit(101);
    }
    panic!("main gives up");
}
