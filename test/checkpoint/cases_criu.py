"""Backend criu: peers of several processes. Left out where criu is not installed, older than 4.1, or does not work."""

import re
import subprocess

from controller import Driver
from support import case, expect, in_scratch

# A process for each connection, with a random number of its own, drawn when it is first asked.
FORKING = r"""exec python3 -c '
import os, signal, socket
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
listener = socket.create_server(("127.0.0.1", {port:7}))
while True:
    conn, _ = listener.accept()
    if os.fork():
        conn.close()
        continue
    listener.close()
    secret, count = None, 0
    while data := conn.recv(100):
        secret, count = secret or os.urandom(4).hex(), count + 1
        conn.sendall(b"%d %s" % (count, secret.encode()))
    os._exit(0)
'"""


def works():
    try:
        told = subprocess.run(["criu", "--version"], capture_output=True, text=True, check=False).stdout
        number = re.search(r"Version: (\d+)\.(\d+)", told)
        return (number and (int(number[1]), int(number[2])) >= (4, 1)
                and subprocess.run(["criu", "check"], capture_output=True, check=False).returncode == 0)
    except OSError:
        return False


if works():

    @case
    @in_scratch
    def process_for_each_connection(place):
        """criu: a server with a process for each connection is brought back, and goes on with both"""
        with Driver(place, "criu", servers=[FORKING]) as d:
            one, two = d.number("open 7"), d.number("open 7")
            said = d.ask(one, b"a"), d.ask(two, b"a")
            expect(said[0].startswith(b"1 ") and said[0] != said[1], f"{said}")
            saved = d.number(f"save {one}")
            later = d.ask(one, b"b"), d.ask(one, b"c"), d.ask(two, b"b")
            for _ in range(2):
                d.restore(saved)
                again = d.ask(one, b"b"), d.ask(one, b"c"), d.ask(two, b"b")
                expect(again == later, f"{again}, before it was brought back {later}")
