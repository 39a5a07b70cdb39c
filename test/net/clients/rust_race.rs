// Two threads of a Rust client share a connection without keeping question and answer together: one takes the other's answer.
//
// heddle: verdict=violation kind=abort|exit-status|comm-deadlock|assert options="--check-exit" server="@peer listen {port:7000} line send:%l~ loop"
// native: skip
use std::io::{Read, Write};
use std::net::TcpStream;

fn ask(stream: &TcpStream, question: &[u8; 2]) {
    let mut s = stream;
    s.write_all(question).unwrap();
    let mut answer = [0u8; 2];
    s.read_exact(&mut answer).unwrap();
    assert_eq!(&answer, question);
}

fn main() {
    let stream = TcpStream::connect("127.0.0.1:7000").unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| ask(&stream, b"a\n"));
        scope.spawn(|| ask(&stream, b"b\n"));
    });
}
