"""Small peers, each with one thing to save."""

from controller import Driver
from support import case, expect, in_scratch

COUNTER = r"""python3 -c '
import socket, sys
listener = socket.create_server(("127.0.0.1", {port:7}))
count = 0
while True:
    conn, _ = listener.accept()
    while data := conn.recv(100):
        count += 1
        conn.sendall(b"%d %s" % (count, data))
    conn.close()
'"""


@case
@in_scratch
def restarted(place):
    """restart: the peer is as it was at its start, and only that can be saved"""
    with Driver(place, "restart", servers=[COUNTER]) as d:
        first = d.number("save0 7")
        for _ in range(2):
            conn = d.number("open 7")
            expect(d.ask(conn, b"a") == b"1 a" and d.ask(conn, b"b") == b"2 b", "it does not count")
            refused = d.do(f"save {conn}")
            expect(refused.startswith("refused: the peer can only be started again"), refused)
            d.do(f"close {conn}")
            d.restore(first)
        expect(d.do("cost").split()[5] != "0", "restarts cost nothing")
