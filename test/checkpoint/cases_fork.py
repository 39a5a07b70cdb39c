"""The fork backend: all that fork shares or loses, in event loops of all kinds."""

import fcntl
import os
import random
import re
import signal

from controller import BUILD, Driver
from support import case, expect, in_scratch, wait_until

PEER = str(BUILD / "test" / "checkpoint" / "checkpoint-peer")
LOOPS = ["block", "poll", "select", "epoll", "edge", "oneshot", "thread"]
# Divergences per loop; by hand: HEDDLE_DIVERGENCES=1000
DIVERGENCES = int(os.environ.get("HEDDLE_DIVERGENCES", "40"))


def peer(loop, more=""):
    return f"exec {PEER} {loop} {{port:7}} {more}"


def add_state_case(loop):
    def run(place):
        with Driver(place, "fork", servers=[peer(loop)]) as d:
            one = d.number("open 7")
            d.ask(one, b"nroesawifvm")
            saved = d.number(f"save {one}")
            questions = [b"n", b"g", b"o", b"e", b"s", b"a", b"w", b"i", b"t", b"f", b"f", b"v", b"v", b"m"]
            first = [d.ask(one, q) for q in questions]
            for _ in range(3):
                d.restore(saved)
                again = [d.ask(one, q) for q in questions]
                expect(again == first, f"{again} instead of {first}")
    run.__doc__ = f"fork, {loop}: all of a peer is as it was: memory, files, events, pipes, timers, its number, the clock"
    case(in_scratch(run))


def add_random_case(loop):
    """Figure 3 of the paper: what is seen is one behaviour, however often one goes back. Nodes are saved states; in each,
    the number that the peer has drawn is known."""
    def run(place):
        rng = random.Random(loop)
        with Driver(place, "fork", servers=[peer(loop)]) as d:
            one = d.number("open 7")
            d.ask(one, b"n")
            d.do(f"acted {one}")
            nodes = [(d.number(f"save {one}"), b"g0\n", b"n")]
            drawn = set()
            for _ in range(DIVERGENCES):
                number, known, _ = rng.choice(nodes)
                d.restore(number)
                expect(d.ask(one, b"g") == known, "a number of another past")
                said = d.ask(one, rng.choice([b"r", b"u"]))
                expect(d.do(f"acted {one}") == "yes", "a random number was not noticed")
                drawn.add(said[1:])
                nodes.append((d.number(f"save {one}"), b"g" + said[1:], said))
                expect(d.ask(one, b"g") == nodes[-1][1], "it has forgotten")
                expect(d.do(f"acted {one}") == "no", "noticed, and nothing was done")
                if len(nodes) > 20:
                    d.do(f"drop {nodes.pop(rng.randrange(20))[0]}")
            expect(len(drawn) == DIVERGENCES, "the peer does not draw anew")
    run.__doc__ = f"fork, {loop}: {DIVERGENCES} times back before or behind a random choice, and never a mix of two"
    case(in_scratch(run))


for each in LOOPS:
    add_state_case(each)
    add_random_case(each)


def add_connections_case(loop):
    def run(place):
        with Driver(place, "fork", servers=[peer(loop)]) as d:
            one, two = d.number("open 7"), d.number("open 7")
            d.ask(one, b"n")
            d.ask(two, b"n")
            both = d.number(f"save {one}")
            three = d.number("open 7")
            expect(d.ask(three, b"n") == b"n3\n" and d.ask(two, b"n") == b"n4\n", "before")
            for _ in range(3):
                d.restore(both)
                expect(d.ask(two, b"n") == b"n3\n" and d.ask(one, b"n") == b"n4\n", "after")
                three = d.number("open 7")
                expect(d.ask(three, b"n") == b"n5\n", "one more")
    run.__doc__ = f"fork, {loop}: two connections are put back in their order, a third one is gone"
    case(in_scratch(run))


for each in LOOPS[1:]:
    add_connections_case(each)


@case
@in_scratch
def noticed(place):
    """what may be different in another run is noticed, by name; the clock is not, for it is tamed"""
    with Driver(place, "fork", servers=[peer("epoll")]) as d:
        one = d.number("open 7")
        d.ask(one, b"n")
        d.do(f"acted {one}")
        for question, call in ((b"r", "getrandom"), (b"u", "read of /dev/urandom"), (b"a", "timer")):
            before = d.acts(one).get(call, 0)
            d.ask(one, question)
            expect(d.acts(one).get(call, 0) > before, f"{call}: {d.acts(one)}")
            expect(d.do(f"acted {one}") == "yes", call)
        for question, call in ((b"t", "clock"), (b"d", "rdtsc"), (b"i", "getpid")):
            d.ask(one, question)
            expect(d.acts(one).get(call), d.acts(one))
            expect(d.do(f"acted {one}") == "no", call)
        expect(d.ask(one, b"t") == b"t1767225600.000000000\n", "the clock does not stand still")


DRAWN = r"""exec python3 -c '
import os, random, socket, time
listener = socket.create_server(("127.0.0.1", {port:7}))
seed = os.urandom(8)
while True:
    conn, _ = listener.accept()
    while data := conn.recv(100):
        conn.sendall(b"%f %s %d %d %f %s" % (random.random(), seed.hex().encode(), os.getpid(), hash("x"), time.time(),
                                             os.urandom(8).hex().encode() if data == b"u" else b""))
'"""


@case
@in_scratch
def started_alike(place):
    """what a peer draws before its first connection is the same in each start; what it draws later is not"""
    said = []
    for _ in range(2):
        with Driver(place, "fork", servers=[DRAWN]) as d:
            one = d.number("open 7")
            said.append((d.ask(one, b"x"), d.ask(one, b"u")))
            expect(d.acts(one).get("random bytes at its start"), d.acts(one))
    expect(said[0][0] == said[1][0], f"two peers: {said}")
    expect(said[0][1] != said[1][1], f"chance is not chance: {said}")


@case
@in_scratch
def written(place):
    """files that were changed since are as they were: also those that came, or were changed for the first time, only then"""
    with Driver(place, "fork", servers=[peer("poll")]) as d:
        one = d.number("open 7")
        place.path.joinpath("written").write_text("40\n")
        d.ask(one, b"n")
        first = d.number(f"save {one}")
        expect(d.ask(one, b"fv") == b"f41\nv0\n", "before")
        second = d.number(f"save {one}")
        expect(d.ask(one, b"ffv") == b"f42\nf43\nv1\n", "between")
        for _ in range(3):
            d.restore(second)
            expect(d.ask(one, b"fv") == b"f42\nv1\n", "the second one")
            d.restore(first)
            expect(place.path.joinpath("written").read_text() == "40\n" and not place.path.joinpath("there").exists(),
                   "the first one")
            expect(d.ask(one, b"fv") == b"f41\nv0\n", "the first one, later")


@case
@in_scratch
def accepted_by_the_living(place):
    """a connection that comes after the peer was brought back is not taken by the one that was replaced, which waited in accept"""
    with Driver(place, "fork", servers=[peer("thread")]) as d:
        one = d.number("open 7")
        d.ask(one, b"n")
        saved = d.number(f"save {one}")
        for _ in range(30):
            d.restore(saved)
            expect(d.ask(d.number("open 7"), b"n") == b"n2\n", "not served")


def locked_by_others(path, lock):
    with open(path, "r+") as file:
        try:
            lock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            return True
        lock(file, fcntl.LOCK_UN)
        return False


@case
@in_scratch
def locks(place):
    """locks of files are held by who is brought back, and only if they were held"""
    with Driver(place, "fork", servers=[peer("epoll")]) as d:
        one = d.number("open 7")
        d.ask(one, b"n")
        free = d.number(f"save {one}")
        expect(d.ask(one, b"py") == b"p0\ny0\n", "not locked")
        held = d.number(f"save {one}")
        for saved, want in ((free, False), (held, True), (held, True), (free, False)):
            d.restore(saved)
            for name, lock in (("locked", fcntl.lockf), ("flocked", fcntl.flock)):
                path = place.path / name
                expect((path.exists() and locked_by_others(path, lock)) == want, f"{name}: {not want}")


@case
@in_scratch
def half_closed(place):
    """a side that was shut down is shut down; our own end is, too"""
    with Driver(place, "fork", servers=[peer("poll")]) as d:
        one, two = d.number("open 7"), d.number("open 7")
        d.ask(two, b"n")
        expect(d.do(f"ask {one} {b'nh'.hex()}").endswith(" eof"), "not shut down")
        saved = d.number(f"save {one}")
        d.restore(saved)
        expect(d.do(f"ask {one} ") == "said  eof", "open again")
        expect(d.ask(two, b"n") == b"n4\n", "the other one")


@case
@in_scratch
def unread(place):
    """what the peer has not read is still to be read"""
    with Driver(place, "fork", servers=[peer("block")]) as d:
        one = d.number("open 7")
        expect("unread" in d.do(f"ask {one} {b'nknnn'.hex()}"), "it has read all")
        saved = d.number(f"save {one}")
        d.restore(saved)
        expect("unread" in d.do(f"ask {one} "), "the bytes are lost")


@case
@in_scratch
def refused(place):
    """what cannot be held is refused by name, and the peer goes on"""
    with Driver(place, "fork", servers=[peer("poll")]) as d:
        one = d.number("open 7")
        d.ask(one, b"l")
        answer = d.do(f"save {one}")
        expect(answer.startswith("refused: ") and re.search("watches files", answer), answer)
        expect(d.ask(one, b"n") == b"n2\n", "it does not go on")


@case
@in_scratch
def has_child(place):
    """a child process in which the shim is not is told by name, and the peer goes on"""
    command = ("exec python3 -c 'import socket, subprocess\n"
               'l = socket.create_server(("127.0.0.1", {port:7}))\n'
               "c, _ = l.accept()\n"
               'subprocess.Popen(["sh", "-c", "read x; true"], env={"PATH": "/bin"})\n'
               "while d := c.recv(9): c.sendall(d)'")
    with Driver(place, "fork", servers=[command]) as d:
        one = d.number("open 7")
        d.ask(one, b"x")
        answer = d.do(f"save {one}")
        expect(re.match("refused: it has a child process in which heddle's library is not .sh, pid", answer), answer)
        expect(d.ask(one, b"y") == b"y", "it does not go on")


FAMILY = r"""exec python3 -c '
import os, socket
listener = socket.create_server(("127.0.0.1", {port:7}))
ended, number = [], 0
while True:
    conn, _ = listener.accept()
    while number:
        pid, status = os.waitpid(-1, os.WNOHANG)
        if not pid:
            break
        number -= 1
        ended.append(os.waitstatus_to_exitcode(status))
    number += 1
    if os.fork() == 0:
        drawn = b"0"
        while question := conn.recv(1):
            if question == b"r":
                drawn = os.urandom(8).hex().encode()
            elif question == b"q":
                os._exit(5)
            conn.sendall(str(ended).encode() if question == b"e" else drawn)
        os._exit(0)
    conn.close()
'
"""


@case
@in_scratch
def family_chooses(place):
    """fork, a process for each connection: many times back before or behind a random choice, and never a mix of two"""
    rng = random.Random("family")
    with Driver(place, "fork", servers=[FAMILY]) as d:
        conns = [d.number("open 7"), d.number("open 7")]
        known = [b"0", b"0"]
        for conn in conns:
            d.ask(conn, b"g")
        nodes = [(d.number(f"save {conns[0]}"), list(known))]
        for _ in range(DIVERGENCES):
            number, known = rng.choice(nodes)
            known = list(known)
            d.restore(number)
            which = rng.randrange(2)
            d.do(f"acted {conns[0]}")
            known[which] = d.ask(conns[which], b"r")
            expect(d.do(f"acted {conns[0]}") == "yes", "a random number of a child was not noticed")
            nodes.append((d.number(f"save {conns[0]}"), known))
            expect([d.ask(c, b"g") for c in conns] == known, "numbers of another past")
            if len(nodes) > 20:
                d.do(f"drop {nodes.pop(rng.randrange(20))[0]}")


@case
@in_scratch
def family_ends(place):
    """a process that was brought back ends: its parent, who was brought back, too, learns how"""
    with Driver(place, "fork", servers=[FAMILY]) as d:
        one, two = d.number("open 7"), d.number("open 7")
        d.ask(one, b"g")
        d.ask(two, b"g")
        both = d.number(f"save {one}")
        for _ in range(3):
            d.ask(one, b"q")
            three = d.number("open 7")
            expect(d.ask(three, b"e") == b"[5]", "its parent does not know how it ended")
            expect(d.ask(two, b"g") == b"0", "another one has ended, too")
            d.restore(both)
            expect(d.ask(one, b"g") == b"0", "it was not brought back")


# A child that takes its own rights away, as sshd's does, beside a parent that has a file and a socket of the kernel's.
BARRED = r"""exec python3 -c '
import os, resource, select, socket
news = socket.socket(socket.AF_NETLINK, socket.SOCK_RAW, 0)
news.bind((0, 0))
listener = socket.create_server(("127.0.0.1", {port:7}))
with open("master", "w") as file:
    file.write("1")
os.chmod("master", 0o600)
os.mkdir("root")
said, tell = os.pipe()
conn, _ = listener.accept()
if os.fork() == 0:
    for what in (resource.RLIMIT_FSIZE, resource.RLIMIT_NOFILE, resource.RLIMIT_NPROC):
        resource.setrlimit(what, (0, 0))
    if os.getuid() == 0:
        os.chroot("root")
        os.setgid(65534)
        os.setuid(65534)
    drawn = b"0"
    while question := conn.recv(1):
        if question == b"r":
            drawn = os.urandom(8).hex().encode()
        try:
            os.close(os.dup(0))
            drawn = b"not barred"
        except OSError:
            pass
        if resource.getrlimit(resource.RLIMIT_NPROC) != (0, 0):
            drawn = b"other limits"
        os.write(tell, question)
        conn.sendall(drawn)
    os._exit(0)
conn.close()
while True:
    ready, _, _ = select.select([said, news], [], [])
    if said in ready and os.read(said, 1) == b"w":
        with open("master", "a") as file:
            file.write("2")
'
"""


@case
@in_scratch
def barred(place):
    """fork: a child that may open, fork and see nothing any more is saved; files of its parent are put back by that"""
    with Driver(place, "fork", servers=[BARRED]) as d:
        one = d.number("open 7")
        drawn = d.ask(one, b"r")
        expect(re.fullmatch(b"[0-9a-f]{16}", drawn), drawn)
        saved = d.number(f"save {one}")
        for _ in range(3):
            expect(d.ask(one, b"w") == drawn and d.ask(one, b"g") == drawn, "it has forgotten")
            expect((place.path / "master").read_text() == "12", "not written")
            d.restore(saved)
            expect((place.path / "master").read_text() == "1", "not put back")


@case
@in_scratch
def waits_for_child(place):
    """fork: a shell that waits for a child goes on to wait for it when both are brought back"""
    command = ("exec python3 -c 'import os, socket\n"
               'l = socket.create_server(("127.0.0.1", {port:7}))\n'
               "c, _ = l.accept()\n"
               "os.dup2(c.fileno(), 0)\n"
               "os.dup2(c.fileno(), 1)\n"
               'os.execvp("sh", ["sh", "-c", "head -c 2 | cat; echo over"])' + "'")
    with Driver(place, "fork", servers=[command]) as d:
        one = d.number("open 7")
        d.ask(one, b"x")
        saved = d.number(f"save {one}")
        for _ in range(3):
            said = d.ask(one, b"y")
            expect(said == b"xyover\n", said)
            d.restore(saved)


@case
@in_scratch
def shell_ends(place):
    """fork: the shell that waits for the peer does not go on with its script when the peer is brought back"""
    with Driver(place, "fork", servers=[peer("poll").removeprefix("exec ") + "; touch later"]) as d:
        one = d.number("open 7")
        d.ask(one, b"n")
        saved = d.number(f"save {one}")
        for _ in range(3):
            d.restore(saved)
            expect(d.ask(one, b"n") == b"n2\n", "not brought back")
    expect(not (place.path / "later").exists(), "the shell went on")


@case
@in_scratch
def has_brother(place):
    """fork: a process beside it in which the library is not is told by name"""
    with Driver(place, "fork", servers=["env -i sleep 1000 & " + peer("poll").removeprefix("exec ") + "; true"]) as d:
        one = d.number("open 7")
        d.ask(one, b"n")
        answer = d.do(f"save {one}")
        expect(re.match("refused: it has a child process in which heddle's library is not .sleep, pid", answer), answer)


@case
@in_scratch
def static_peer(place):
    """auto: a peer that the shim does not get into is restarted, and the reason says why"""
    command = "env -i " + PEER + " poll {port:7}"
    with Driver(place, "auto", servers=[command]) as d:
        one = d.number("open 7")
        answer = d.do(f"backend {one}")
        expect(answer.startswith("restart: not fork: the shim is not in it"), answer)
        expect(d.do(f"acted {one}") == "yes", "what is not seen counts as done")


def add_end_case(name, end):
    def run(place):
        d = Driver(place, "fork", servers=[peer("thread")])
        with d:
            one = d.number("open 7")
            d.ask(one, b"n")
            for _ in range(5):
                d.restore(d.number(f"save {one}"))
            end(d)
            expect(wait_until(lambda: not d.left()), lambda: f"left behind: {d.left()}")
    run.__doc__ = f"fork: nothing is left after {name}"
    case(in_scratch(run))


def kill_controller(d):
    d.process.kill()
    d.process.wait()


def kill_peer(d):
    os.kill(int(d.do("process 1")), signal.SIGKILL)
    d.process.stdin.close()
    d.process.wait(30)


add_end_case("kill -9 of the controller", kill_controller)
add_end_case("kill -9 of the peer", kill_peer)
