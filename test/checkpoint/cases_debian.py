"""Unmodified servers of Debian's archive under the fork backend: what they say after they were brought back is what they said
before, to the byte; left out where they are not installed."""

import os
import shutil
import struct
import subprocess

from controller import BUILD, Driver
from support import case, expect, in_scratch

ROUNDS = int(os.environ.get("HEDDLE_ROUNDS", "5"))


def again_and_again(place, command, before, after, other=(), opens=1):
    """Say `before`, save; then `after` is answered alike, however often it is brought back, and whatever `other` did in
    between. Each is a list of (connection, bytes)."""
    with Driver(place, "fork", servers=[command]) as d:
        conns = [d.number("open 7") for _ in range(opens)]
        for which, text in before:
            d.ask(conns[which], text)
        saved = d.number(f"save {conns[0]}")
        first = [d.ask(conns[which], text) for which, text in after]
        expect(any(first), "it says nothing")
        for _ in range(ROUNDS):
            d.restore(saved)
            for which, text in other:
                d.ask(conns[which], text)
            if other:
                d.restore(saved)
            again = [d.ask(conns[which], text) for which, text in after]
            expect(again == first, f"{again} instead of {first}")
        return first


def server(program):
    """A case for it, if it is there."""
    def register(function):
        path = os.environ["PATH"] + ":/usr/sbin:/sbin"
        return case(in_scratch(function)) if shutil.which(program, path=path) else function
    return register


@server("redis-server")
def redis(place):
    """redis-server: two connections, a counter, random keys; its own threads are made anew"""
    said = again_and_again(
        place, "exec redis-server --port {port:7} --bind 127.0.0.1 --save '' --appendonly no",
        [(0, b"SET a 1\r\n"), (1, b"INCR a\r\n"), (0, b"SADD s x y z u v w\r\n")],
        [(0, b"INCR a\r\n"), (1, b"GET a\r\n"), (1, b"SMEMBERS s\r\n"), (0, b"TIME\r\n"), (0, b"UNLINK s\r\n")],
        [(1, b"FLUSHALL\r\n"), (0, b"SRANDMEMBER s\r\n")], opens=2)
    expect(said[:2] == [b":3\r\n", b"$1\r\n3\r\n"], said)


@server("memcached")
def memcached(place):
    """memcached: its worker threads, each with its connections"""
    said = again_and_again(
        place, "exec memcached -u root -l 127.0.0.1 -p {port:7} -U 0 -t 3",
        [(0, b"set a 0 0 1\r\n5\r\n"), (1, b"incr a 1\r\n"), (2, b"get a\r\n")],
        [(2, b"incr a 1\r\n"), (1, b"incr a 1\r\n"), (0, b"gets a\r\n")],
        [(1, b"flush_all\r\n"), (0, b"set a 0 0 1\r\n0\r\n")], opens=3)
    expect(said[:2] == [b"7\r\n", b"8\r\n"], said[:2])


@server("lighttpd")
def lighttpd(place):
    """lighttpd: pages, and a Date that stands still"""
    (place.path / "index.html").write_text("hello\n" * 20)
    (place.path / "c").write_text(f'server.document-root = "{place.path}"\nserver.port = env.PORT\n'
                                  'server.bind = "127.0.0.1"\nindex-file.names = ("index.html")\n')
    get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    said = again_and_again(place, "export PORT={port:7}; exec lighttpd -D -f c", [(0, get)], [(0, get), (1, get)],
                           [(0, b"GET /no HTTP/1.1\r\nHost: x\r\n\r\n")], opens=2)
    expect(b"Date: Thu, 01 Jan 2026 00:00:00 GMT" in said[0], said)


@server("mosquitto")
def mosquitto(place):
    """mosquitto: a subscription gets what is published on another connection"""
    (place.path / "c").write_text("allow_anonymous true\npersistence false\n")

    def connect(name):
        rest = b"\0\4MQTT\4\2\0\0" + struct.pack(">H", len(name)) + name
        return b"\x10" + bytes([len(rest)]) + rest
    subscribe = b"\x82\x06\0\1\0\1a\0"
    publish = b"\x30\x05\0\1ahi"
    with Driver(place, "fork", servers=["(cat c; echo listener {port:7} 127.0.0.1) >d; exec mosquitto -c d"]) as d:
        one, two = d.number("open 7"), d.number("open 7")
        expect(d.ask(one, connect(b"x")) and d.ask(two, connect(b"y")), "not connected")
        saved = d.number(f"save {one}")
        for _ in range(ROUNDS):
            expect(d.ask(one, subscribe)[:1] == b"\x90", "not subscribed")
            answer = d.do(f"ask {two} {publish.hex()}")
            expect("answered on another connection" in answer, answer)
            d.restore(saved)
            expect(d.do(f"ask {two} {publish.hex()}") == "said ", "the subscription is still there")
            d.restore(saved)


def packet(payload):
    pad = 16 - (len(payload) + 5) % 16
    pad += 16 if pad < 4 else 0
    return struct.pack(">IB", len(payload) + pad + 1, pad) + payload + b"\0" * pad


POINT = b"\x1e" + struct.pack(">I", 32) + b"\x09" + bytes(31)


def key_exchange():
    names = [b"curve25519-sha256", b"ssh-ed25519", *[b"aes128-ctr"] * 2, *[b"hmac-sha2-256"] * 2, *[b"none"] * 2, b"", b""]
    return b"\x14" + bytes(16) + b"".join(struct.pack(">I", len(n)) + n for n in names) + bytes(5)


@server("dropbear")
def dropbear(place):
    """dropbear -i: a key exchange whose keys are drawn before it is saved"""
    subprocess.run(["dropbearkey", "-t", "ed25519", "-f", "key"], cwd=place.path, check=True, capture_output=True)
    command = f"exec {BUILD / 'heddle'} inetd {{port:7}} dropbear -i -r key"
    with Driver(place, "fork", servers=[command]) as d:
        one = d.number("open 7")
        expect(d.ask(one).startswith(b"SSH-2.0-dropbear"), "no greeting")
        expect("getrandom" in d.acts(one), d.acts(one))
        saved = d.number(f"save {one}")
        replies = set()
        for _ in range(ROUNDS):
            d.ask(one, b"SSH-2.0-test\r\n" + packet(key_exchange()))
            replies.add(d.ask(one, packet(POINT)))
            d.restore(saved)
        expect(len(replies) == 1 and min(map(len, replies)) > 200, f"{len(replies)} different replies")


@server("dropbear")
def dropbear_forks(place):
    """dropbear -F: a process for each connection, two of them with their keys"""
    subprocess.run(["dropbearkey", "-t", "ed25519", "-f", "key"], cwd=place.path, check=True, capture_output=True)
    hello = b"SSH-2.0-test\r\n" + packet(key_exchange())
    said = again_and_again(place, "exec dropbear -F -E -p 127.0.0.1:{port:7} -r key", [(0, hello), (1, hello)],
                           [(1, packet(POINT)), (0, packet(POINT))], opens=2)
    expect(min(map(len, said)) > 200 and said[0] != said[1], said)


@server("nginx")
def nginx(place):
    """nginx: a master with two workers, which have given up their rights"""
    place.path.chmod(0o755)
    (place.path / "index.html").write_text("hello\n")
    (place.path / "c").write_text("daemon off; pid pid; error_log stderr; worker_processes 2; events {}\nhttp { access_log off; "
                                  "client_body_temp_path b; proxy_temp_path p; fastcgi_temp_path f; uwsgi_temp_path u; "
                                  "scgi_temp_path s; server { listen 127.0.0.1:PORT; root .; } }\n")
    get = b"GET / HTTP/1.1\r\nHost: x\r\n\r\n"
    said = again_and_again(place, "sed s/PORT/{port:7}/ c >d; exec nginx -p . -c d", [(0, get), (1, get)], [(1, get), (0, get)],
                           [(0, b"GET /no HTTP/1.1\r\nHost: x\r\n\r\n")], opens=2)
    expect(b"Date: Thu, 01 Jan 2026 00:00:00 GMT" in said[0], said)
