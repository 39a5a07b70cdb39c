// A client in Rust: std::net::TcpStream, scoped threads, BufReader; a shared connection behind a Mutex.
//
// heddle: verdict=verified server="@peer listen {port:7000} line send:%n~ loop"
// heddle: verdict=verified cache=none server="@peer listen {port:7000} line send:%n~ loop"
use std::io::{BufRead, BufReader, Write};
use std::net::{Shutdown, TcpStream};
use std::sync::Mutex;

fn ask(line: &Mutex<(TcpStream, BufReader<TcpStream>)>) -> u32 {
    let mut both = line.lock().unwrap();
    both.0.write_all(b"how many?\n").unwrap();
    let mut answer = String::new();
    both.1.read_line(&mut answer).unwrap();
    answer.trim().parse().unwrap()
}

fn main() {
    let stream = TcpStream::connect("127.0.0.1:7000").unwrap();
    assert_eq!(stream.peer_addr().unwrap().port(), 7000);
    stream.set_nodelay(true).unwrap();
    let reader = BufReader::new(stream.try_clone().unwrap());
    let line = Mutex::new((stream, reader));
    let sum: u32 = std::thread::scope(|scope| {
        let threads = [scope.spawn(|| ask(&line)), scope.spawn(|| ask(&line))];
        threads.into_iter().map(|t| t.join().unwrap()).sum()
    });
    assert_eq!(sum, 3);
    let both = line.into_inner().unwrap();
    both.0.shutdown(Shutdown::Write).unwrap();
}
