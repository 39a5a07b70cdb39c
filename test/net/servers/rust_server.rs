// A server in Rust: TcpListener::incoming, a thread for each stream, a counter behind Arc<Mutex>.
//
// heddle: verdict=verified clients=2 client="@peer connect {port} send:hello~ line"
// heddle: verdict=verified clients=1 cache=none client="@peer connect {port} send:hello~ line"
// heddle: verdict=incomplete cache=linear clients=2 client="@peer connect {port} send:hello~ line"
use std::io::{BufRead, BufReader, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};

fn serve(mut stream: TcpStream, hits: Arc<Mutex<u32>>) {
    let mut line = String::new();
    BufReader::new(stream.try_clone().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "hello\n");
    let mine = {
        let mut n = hits.lock().unwrap();
        *n += 1;
        *n
    };
    stream.write_all(format!("visitor {mine}\n").as_bytes()).unwrap();
}

fn main() {
    let hits = Arc::new(Mutex::new(0));
    let listener = TcpListener::bind("127.0.0.1:7000").unwrap();
    for stream in listener.incoming() {
        let hits = hits.clone();
        std::thread::spawn(move || serve(stream.unwrap(), hits));
    }
}
