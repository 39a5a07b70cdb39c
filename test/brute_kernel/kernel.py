"""A model of the parts of Linux that a process's threads share, written from the manual pages; it knows nothing of heddle.

One call is one atomic event. A call is a method that takes the number of the calling thread and returns a result (a
value, or a negative error number), or raises Wait: the call can't go on in this state. Methods whose names stand in POINTS
are cancellation points."""

import errno
import pickle

from threads import Threads
from transfers import Transfers, Unclear  # noqa: F401


class Wait(Exception):
    """The call waits."""


AGAIN = "again"  # a call that consists of several events has come to the next one

E = {name: -getattr(errno, name) for name in dir(errno) if name.startswith("E")}
O_RDONLY, O_WRONLY, O_RDWR, O_CREAT, O_EXCL, O_TRUNC, O_APPEND, O_NONBLOCK = 0, 1, 2, 0o100, 0o200, 0o1000, 0o2000, 0o4000
FIRST_FD = 3      # 0, 1, 2 are taken
PIPE_ROOM = 65536
SIGNALS = ("SIGUSR1", "SIGUSR2", "SIGALRM")
REAL_TIME = "SIGRTMIN"


class Description:
    def __init__(self, kind, flags, thing=None):
        self.kind, self.flags, self.thing = kind, flags, thing
        self.pos, self.refs = 0, 0

    def key(self):
        return (self.kind, self.flags, self.thing, self.pos, self.refs)


class Kernel(Transfers, Threads):
    """State, all of it in plain values; key() makes it hashable."""

    def __init__(self, threads):
        self.fds = {}            # number -> [description index, cloexec]
        self.descs = []          # Description or None
        self.files = []          # [bytes, links, mode]
        self.names = {}          # name -> file index, or "dir"
        self.pipes = []          # [bytes, size in pages]
        self.pairs = []          # to end 0, to end 1, then per end: it says no more, is closed, has an error
        self.events = []         # [counter, semaphore]
        self.umask_ = 0o22
        self.cwd = "/tmp"
        self.pages = []          # "rw", "r", "none", "gone"
        self.filled = [0, 0]     # the first byte of each
        self.env = {}
        self.limit = 1024
        self.title = 0           # name of the main thread
        self.pending = [set() for _ in range(threads)]
        self.process_pending = set()
        self.cancel_asked = [False] * threads
        self.cancel_off = [False] * threads
        self.keys = frozenset()
        self.rolls = 0
        self.caught = [set() for _ in range(threads)]  # SIGWINCH, which has a handler: in the queue of a thread
        self.process_caught = set()
        self.masked = [True] * threads
        self.locks = {}          # description index -> exclusive: flock
        self.record_locks = {}   # the same: fcntl F_OFD_SETLK, of the whole file
        self.clocks = []         # timerfds: [armed, expirations]
        self.timers = [0, 0]     # seconds left, as set: of timer_create, of setitimer
        self.inside = False      # the current directory is d
        self.listening = []      # pairs that nobody has accepted
        self.deaf = False        # the listening socket is closed
        self.held = [None] * threads
        self.progress = [0] * threads  # of close_range: from here on
        self.keepalive = {}      # socket options: (pair, end, option)
        self.watched = {}        # (number, description index): an epoll set, level-triggered, for POLLIN
        self.looked = [False] * threads  # in a cancellation point, and has found no request
        self.held_second = [None] * threads  # of calls on two descriptors
        self.settings = {}
        self.gone, self.joined = [False] * threads, [False] * threads
        self.owner, self.robust = None, "well"
        self.semaphore = 0
        self.queued = [()] * threads    # values of real-time signals, in order
        self.process_queued = ()
        self.suspended = [None] * threads  # in sigsuspend: whether the signal was masked before
        self.restarts = True     # SA_RESTART
        self.returning = [None] * threads  # what a call is about to return: its work is done

    def clone(self):
        return pickle.loads(pickle.dumps(self, -1))

    def wait(self):
        raise Wait

    def key(self):
        return (tuple(sorted((n, f[0], f[1]) for n, f in self.fds.items())),
                tuple(d.key() if d else None for d in self.descs),
                tuple((bytes(f[0]), f[1], f[2]) for f in self.files), tuple(sorted(self.names.items(), key=str)),
                tuple((bytes(p[0]), p[1]) for p in self.pipes),
                tuple((bytes(p[0]), bytes(p[1]), *p[2:]) for p in self.pairs), tuple(map(tuple, self.events)),
                self.umask_, self.cwd, tuple(self.pages), tuple(self.filled), tuple(sorted(self.env.items())), self.limit,
                self.title, tuple(map(frozenset, self.pending)), frozenset(self.process_pending),
                tuple(self.cancel_asked), tuple(self.cancel_off), self.keys, self.rolls, tuple(self.held), tuple(self.looked), tuple(self.progress),
                tuple(map(frozenset, self.caught)), frozenset(self.process_caught), tuple(self.masked), tuple(self.timers),
                self.inside, tuple(self.listening), self.deaf, tuple(sorted(self.locks.items())),
                tuple(sorted(self.record_locks.items())), tuple(map(tuple, self.clocks)),
                frozenset(self.keepalive.items()), tuple(sorted(self.watched)), tuple(self.held_second),
                frozenset(self.settings.items()), tuple(self.gone), tuple(self.joined), self.owner, self.robust, self.semaphore,
                tuple(self.queued), self.process_queued, tuple(self.suspended), tuple(self.returning))

    # ---- descriptors ----

    def lowest(self, least=FIRST_FD):
        while least in self.fds:
            least += 1
        return least

    def install(self, d):
        n = self.lowest()
        if n >= self.limit:
            return E["EMFILE"]
        for i, old in enumerate(self.descs):
            if old is None:
                self.descs[i] = d
                break
        else:
            i = len(self.descs)
            self.descs.append(d)
        d.refs += 1
        self.fds[n] = [i, 0]
        return n

    def at(self, n, t=None):
        """The description that thread t's call works on: the one it holds, or what the number means now."""
        if t is not None and self.held[t] is not None:
            return self.descs[self.held[t][0]]
        return self.descs[self.fds[n][0]] if n in self.fds else None

    def index(self, n, t):
        return self.held[t][0] if self.held[t] is not None else self.fds[n][0]

    def enter(self, t, n):
        """The call has looked its number up; whatever becomes of the number, it keeps the description. And whether it
        waits is decided now: nobody who waits is woken by O_NONBLOCK."""
        i = self.fds[n][0]
        self.held[t] = (i, bool(self.descs[i].flags & O_NONBLOCK))
        self.at(n, t).refs += 1

    def enter_second(self, t, n):
        self.held_second[t] = self.fds[n][0]
        self.second(n, t).refs += 1

    def second(self, n, t):
        """The other description of a call on two."""
        if self.held_second[t] is not None:
            return self.descs[self.held_second[t]]
        return self.descs[self.fds[n][0]] if n in self.fds else None

    def leave(self, t):
        if self.held[t] is None:
            return
        (i, _), self.held[t] = self.held[t], None
        self.unref(i)
        if self.held_second[t] is not None:
            i, self.held_second[t] = self.held_second[t], None
            self.unref(i)

    def nonblocking(self, d, t):
        return self.held[t][1] if self.held[t] else bool(d.flags & O_NONBLOCK)

    def drop(self, n):
        self.unref(self.fds.pop(n)[0])

    def unref(self, i):
        d = self.descs[i]
        d.refs -= 1
        if not d.refs:
            self.locks.pop(i, None)
            self.record_locks.pop(i, None)
            for key in [w for w in self.watched if w[1] == i]:
                del self.watched[key]
            self.release(d)
            self.descs[i] = None

    def release(self, d):
        if d.kind == "listener":
            self.deaf = True
            for pair in self.listening:  # those in the queue are cut off
                self.pairs[pair][3] = self.pairs[pair][5] = self.pairs[pair][6] = True
            self.listening = []
        if d.kind == "pair" and d.thing:
            pair, end = d.thing
            p = self.pairs[pair]
            p[2 + end] = p[4 + end] = True
            p[6 + 1 - end] = bool(p[end])  # unread data is lost: the other end is told

    def full(self):
        return self.lowest() >= self.limit

    def two(self, a, b):
        """Both at one moment: Linux lets others come in between, of which the manual pages say nothing."""
        first = self.install(a)
        if first < 0:
            return first
        second = self.install(b)
        if second < 0:
            self.drop(first)
            return second
        return first * 1000 + second

    def newpipe(self, _t):
        self.pipes.append([bytearray(), 16])
        pipe = len(self.pipes) - 1
        return self.two(Description("pipe", O_RDONLY, pipe), Description("pipe", O_WRONLY, pipe))

    def newpair(self, _t):
        self.pairs.append([bytearray(), bytearray(), *[False] * 6])
        pair = len(self.pairs) - 1
        return self.two(Description("pair", O_RDWR, (pair, 0)), Description("pair", O_RDWR, (pair, 1)))

    def open(self, _t, name, flags):
        if self.full():
            return E["EMFILE"]
        if name not in self.names:
            if not flags & O_CREAT:
                return E["ENOENT"]
            self.files.append([bytearray(), 1, 0o666 & ~self.umask_])
            self.names[name] = len(self.files) - 1
        elif flags & O_CREAT and flags & O_EXCL:
            return E["EEXIST"]
        elif self.names[name] == "dir":
            return E["EISDIR"]
        elif flags & O_TRUNC:
            self.files[self.names[name]][0] = bytearray()
        return self.install(Description("file", flags & (3 | O_APPEND | O_NONBLOCK), self.names[name]))

    def close(self, _t, n):
        if n not in self.fds:
            return E["EBADF"]
        self.drop(n)
        return 0

    def dup(self, t, n):
        """Finds the description, then a number for it: if n is closed in between, that may be n."""
        if not self.at(n, t):
            return E["EBADF"]
        m = self.lowest()
        if m >= self.limit:
            return E["EMFILE"]
        self.at(n, t).refs += 1
        self.fds[m] = [self.index(n, t), 0]
        return m

    def dup2(self, _t, n, m):
        if n not in self.fds:
            return E["EBADF"]
        if n == m:
            return m
        if m >= self.limit:
            return E["EBADF"]
        d = self.fds[n][0]
        self.descs[d].refs += 1
        if m in self.fds:
            self.drop(m)
        self.fds[m] = [d, 0]
        return m

    def dup3(self, t, n, m):
        """With O_CLOEXEC."""
        if n == m:
            return E["EINVAL"]
        result = self.dup2(t, n, m)
        if result >= 0:
            self.fds[m][1] = 1
        return result

    def dupfd(self, t, n, least):
        """fcntl F_DUPFD"""
        if not self.at(n, t):
            return E["EBADF"]
        if least >= self.limit:
            return E["EINVAL"]
        m = self.lowest(least)
        if m >= self.limit:
            return E["EMFILE"]
        self.at(n, t).refs += 1
        self.fds[m] = [self.index(n, t), 0]
        return m

    def closerange(self, t, low, high, flags):
        """4: CLOSE_RANGE_CLOEXEC. Numbers are closed one after the other, and others may come in between."""
        if low > high:
            return E["EINVAL"]
        if flags:
            for n in [n for n in self.fds if low <= n <= high]:
                self.fds[n][1] = 1
            return 0
        left = [n for n in self.fds if (self.progress[t] or low) <= n <= high]
        if not left:
            self.progress[t] = 0
            return 0
        self.drop(min(left))
        self.progress[t] = min(left) + 1
        return AGAIN

    def getfd(self, _t, n):
        return self.fds[n][1] if n in self.fds else E["EBADF"]

    def setfd(self, _t, n, flag):
        if n not in self.fds:
            return E["EBADF"]
        self.fds[n][1] = flag
        return 0

    def getfl(self, t, n):
        d = self.at(n, t)
        return d.flags & (3 | O_APPEND | O_NONBLOCK) if d else E["EBADF"]

    def setfl(self, t, n, flags):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        d.flags = (d.flags & 3) | flags
        return 0

    def flock(self, t, n, how):
        """LOCK_SH 1, LOCK_EX 2, LOCK_UN 8; never waits. A lock that can't be converted is lost."""
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        i = self.descs.index(d)
        if how != 8 and self.locks.get(i) == (how == 2):
            return 0
        self.locks.pop(i, None)
        if how == 8:
            return 0
        for j, exclusive in self.locks.items():
            if self.descs[j].thing == d.thing and (exclusive or how == 2):
                return E["EAGAIN"]
        self.locks[i] = how == 2
        return 0

    def ofdlock(self, t, n, how):
        """F_RDLCK 1, F_WRLCK 2, F_UNLCK 8; never waits. One that can't be had leaves the old one."""
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if how == (1 if (d.flags & 3) == O_WRONLY else 2 if (d.flags & 3) == O_RDONLY else 0):
            return E["EBADF"]
        i = self.descs.index(d)
        if how == 8:
            self.record_locks.pop(i, None)
            return 0
        for j, exclusive in self.record_locks.items():
            if j != i and self.descs[j].thing == d.thing and (exclusive or how == 2):
                return E["EAGAIN"]
        self.record_locks[i] = how == 2
        return 0

    # ---- bytes: results are folded byte by byte ----

    def read(self, t, n, count):
        d = self.at(n, t)
        if not d or (d.flags & 3) == O_WRONLY:
            return E["EBADF"]
        if d.kind == "file":
            data = bytes(self.files[d.thing][0][d.pos:d.pos + count])
            d.pos += len(data)
            return data
        if d.kind == "pipe":
            return self.take(t, d, self.pipes[d.thing][0], count, not self.has_writer(d.thing))
        if d.kind == "pair" and not d.thing:
            return E["EINVAL"]  # not connected
        if d.kind == "pair":
            pair, end = d.thing
            p = self.pairs[pair]
            if not p[end] and p[6 + end]:
                p[6 + end] = False
                return E["ECONNRESET"]
            return self.take(t, d, p[end], count, p[2 + 1 - end])
        if d.kind == "listener":
            return E["EINVAL"]
        if d.kind == "event":
            e = self.events[d.thing]
            if not e[0]:
                if self.nonblocking(d, t):
                    return E["EAGAIN"]
                raise Wait
            value = 1 if e[1] else e[0]
            e[0] -= value
            return value
        if d.kind == "clock":
            c = self.clocks[d.thing]
            if not c[1]:
                if self.nonblocking(d, t):
                    return E["EAGAIN"]
                raise Wait
            value, c[1] = c[1], 0
            return value
        return E["EINVAL"]

    def take(self, t, d, data, count, ended):
        if not data:
            if ended:
                return b""
            if self.nonblocking(d, t):
                return E["EAGAIN"]
            raise Wait
        got = bytes(data[:count])
        del data[:count]
        return got

    def has_writer(self, pipe):
        return any(d and d.kind == "pipe" and d.thing == pipe and (d.flags & 3) == O_WRONLY for d in self.descs)

    def has_reader(self, pipe):
        return any(d and d.kind == "pipe" and d.thing == pipe and (d.flags & 3) == O_RDONLY for d in self.descs)

    def write(self, t, n, byte):
        d = self.at(n, t)
        if not d or (d.flags & 3) == O_RDONLY:
            return E["EBADF"]
        if d.kind == "file":
            data = self.files[d.thing][0]
            if d.flags & O_APPEND:
                d.pos = len(data)
            if len(data) < d.pos:
                data.extend(bytes(d.pos - len(data)))
            data[d.pos:d.pos + 1] = bytes([byte])
            d.pos += 1
            return 1
        if d.kind == "pipe":
            if not self.has_reader(d.thing):
                return E["EPIPE"]
            self.pipes[d.thing][0].append(byte)
            return 1
        if d.kind == "listener" or (d.kind == "pair" and not d.thing):
            return E["ENOTCONN"]
        if d.kind == "pair":
            pair, end = d.thing
            if self.pairs[pair][2 + end] or self.pairs[pair][4 + 1 - end]:
                return E["EPIPE"]
            self.pairs[pair][1 - end].append(byte)
            return 1
        if d.kind == "event":
            self.events[d.thing][0] += byte
            return 8
        return E["EINVAL"]

    def pread(self, t, n, count, at):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "file":
            return E["ESPIPE"]
        if (d.flags & 3) == O_WRONLY:
            return E["EBADF"]
        return bytes(self.files[d.thing][0][at:at + count])

    def lseek(self, t, n, offset, whence):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "file":
            return E["ESPIPE"]
        d.pos = offset + (d.pos if whence == 1 else len(self.files[d.thing][0]) if whence == 2 else 0)
        return d.pos

    def ftruncate(self, t, n, size):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "file" or (d.flags & 3) == O_RDONLY:
            return E["EINVAL"]
        data = self.files[d.thing][0]
        del data[size:]
        data.extend(bytes(size - len(data)))
        return 0

    def fsize(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        return len(self.files[d.thing][0]) * 8 + self.files[d.thing][1] if d.kind == "file" else 1

    def fchmod(self, t, n, mode):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind == "file":
            self.files[d.thing][2] = mode
        return 0

    def fmode(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        return self.files[d.thing][2] if d.kind == "file" else 1

    def setopt(self, t, n, which, value):
        """SO_KEEPALIVE, SO_PRIORITY, SO_OOBINLINE, SO_REUSEADDR"""
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "pair":
            return E["ENOTSOCK"]
        self.keepalive[(d.thing, which)] = value
        return 0

    def getopt(self, t, n, which):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        return self.keepalive.get((d.thing, which), 0) if d.kind == "pair" else E["ENOTSOCK"]

    def watch_key(self, n, t):
        return (n, self.index(n, t))

    def epadd(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind == "file":
            return E["EPERM"]
        key = self.watch_key(n, t)
        if key in self.watched:
            return E["EEXIST"]
        self.watched[key] = 1
        return 0

    def epdel(self, t, n):
        if not self.at(n, t):
            return E["EBADF"]
        if self.at(n, t).kind == "file":
            return E["EPERM"]
        return 0 if self.watched.pop(self.watch_key(n, t), 0) else E["ENOENT"]

    def epwait(self, t):
        """All that have news, with a time-out of 0; in any order, so they are added up."""
        total = 0
        for n, i in self.watched:
            events = self.events_of(self.descs[i], t)
            total += (n * 64 + events) if events else 0
        return total

    def shutdown(self, t, n, how):
        """0: SHUT_RD, after which the other end can say no more; 1: SHUT_WR; 2: both"""
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind not in ("pair", "listener"):
            return E["ENOTSOCK"]
        if not d.thing:
            return E["ENOTCONN"]
        pair, end = d.thing
        self.pairs[pair][2 + end] |= how != 0
        self.pairs[pair][2 + 1 - end] |= how != 1
        return 0

    def poll(self, t, n):
        """POLLIN with a time-out of 0."""
        d = self.at(n, t)
        return self.events_of(d, t) if d else 0x20  # POLLNVAL

    def events_of(self, d, t):
        if d.kind == "signalfd":
            return int(self.sigtake_from(t, False) > 0)
        if d.kind == "inet":
            return 0x10  # POLLHUP
        if d.kind == "file":
            return 1
        if d.kind == "pipe":
            if (d.flags & 3) == O_WRONLY:
                return 0 if self.has_reader(d.thing) else 8
            return (1 if self.pipes[d.thing][0] else 0) | (0 if self.has_writer(d.thing) else 0x10)
        if d.kind == "listener":
            return 1 if self.listening else 0
        if d.kind == "pair" and not d.thing:
            return 0x10
        if d.kind == "pair":
            pair, end = d.thing
            p = self.pairs[pair]
            theirs, mine = p[2 + 1 - end], p[2 + end]
            return (1 if p[end] or theirs else 0) | (0x10 if theirs and mine or p[4 + 1 - end] else 0) | (8 if p[6 + end] else 0)
        if d.kind == "clock":
            return 1 if self.clocks[d.thing][1] else 0
        return 1 if self.events[d.thing][0] else 0

    # ---- a listening socket of the Unix domain ----

    def connect(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind not in ("pair", "listener"):
            return E["ENOTSOCK"]
        if d.kind == "listener":
            return E["EINVAL"]
        if self.deaf:
            return E["ECONNREFUSED"]
        if d.thing:
            return E["EISCONN"]
        self.pairs.append([bytearray(), bytearray(), *[False] * 6])
        d.thing = (len(self.pairs) - 1, 0)
        self.listening.append(d.thing[0])
        return 0

    def accept(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind not in ("pair", "listener"):
            return E["ENOTSOCK"]
        if d.kind != "listener":
            return E["EINVAL"]
        if not self.listening:
            if self.nonblocking(d, t):
                return E["EAGAIN"]
            raise Wait
        return self.install(Description("pair", O_RDWR, (self.listening.pop(0), 1)))

    # ---- names ----

    def unlink(self, _t, name):
        if name not in self.names:
            return E["ENOENT"]
        if self.names[name] == "dir":
            return E["EISDIR"]
        self.files[self.names.pop(name)][1] -= 1
        return 0

    def link(self, _t, a, b):
        if a not in self.names:
            return E["ENOENT"]
        if b in self.names:
            return E["EEXIST"]
        if self.names[a] == "dir":
            return E["EPERM"]
        self.names[b] = self.names[a]
        self.files[self.names[a]][1] += 1
        return 0

    def rename(self, _t, a, b):
        if a not in self.names:
            return E["ENOENT"]
        old, new = self.names[a], self.names.get(b)
        if old == new and old != "dir":
            return 0
        if new is not None and (old == "dir") != (new == "dir"):
            return E["ENOTDIR"] if old == "dir" else E["EISDIR"]
        if new is not None and new != "dir":
            self.files[new][1] -= 1
        self.names[b] = self.names.pop(a)
        return 0

    def mkdir(self, _t, name):
        if name in self.names:
            return E["EEXIST"]
        self.names[name] = "dir"
        return 0

    def rmdir(self, _t, name):
        if name not in self.names:
            return E["ENOENT"]
        if self.names[name] != "dir":
            return E["ENOTDIR"]
        del self.names[name]
        return 0

    def exists(self, _t, name):
        return 0 if name in self.names else E["ENOENT"]

    def mode(self, _t, name):
        if name not in self.names:
            return E["ENOENT"]
        return 1 if self.names[name] == "dir" else self.files[self.names[name]][2]

    # ---- the process ----

    def umask(self, _t, value):
        old, self.umask_ = self.umask_, value
        return old

    def setenv(self, _t, name, value):
        self.env[name] = value
        return 0

    def unsetenv(self, _t, name):
        self.env.pop(name, None)
        return 0

    def getenv(self, _t, name):
        return self.env.get(name, 0)

    def setlimit(self, _t, value):
        self.limit = value
        return 0

    def getlimit(self, _t):
        return self.limit

    def settitle(self, _t, value):
        self.title = value
        return 0

    def gettitle(self, _t):
        return self.title

    def newkey(self, _t):
        key = min(n for n in range(1, 99) if n not in self.keys)
        self.keys |= {key}
        return key

    def delkey(self, _t, key):
        known = key in self.keys
        self.keys -= {key}
        return 0 if known else E["EINVAL"]

    def setkey(self, _t, key):
        """pthread_setspecific"""
        return 0 if key in self.keys else E["EINVAL"]

    def roll(self, _t):
        self.rolls += 1
        return self.rolls

    # ---- mappings: a page, asked by a system call that would fault ----

    def protect(self, _t, page, rights):
        if self.pages[page] == "gone":
            return E["ENOMEM"]
        self.pages[page] = rights
        return 0

    def unmap(self, _t, page):
        self.pages[page] = "gone"
        return 0

    def remap(self, _t, page):
        self.pages[page], self.filled[page] = "rw", 0
        return 0

    def forget(self, _t, page):
        """madvise MADV_DONTNEED"""
        if self.pages[page] == "gone":
            return E["ENOMEM"]
        self.filled[page] = 0
        return 0

    def fill(self, _t, page):
        """pread into it"""
        if self.pages[page] != "rw":
            return E["EFAULT"]
        self.filled[page] = 1
        return 1

    def content(self, _t, page):
        """pwrite from it"""
        return self.filled[page] if self.pages[page] in ("rw", "r") else E["EFAULT"]

    def move(self, _t, page, keep):
        """mremap to the place of the other one, which goes first. keep: MREMAP_DONTUNMAP."""
        rights, self.pages[1 - page] = self.pages[page], "gone"
        if rights == "gone":
            raise Unclear  # later kernels look at this before the other goes
        self.pages[1 - page], self.filled[1 - page], self.filled[page] = rights, self.filled[page], 0
        if not keep:
            self.pages[page] = "gone"
        return 0

    def readable(self, _t, page):
        """write(2) from the page to a socket nobody reads."""
        return 1 if self.pages[page] in ("rw", "r") else E["EFAULT"]

    def writable(self, _t, page):
        """read(2) of /dev/zero into the page."""
        if self.pages[page] != "rw":
            return E["EFAULT"]
        self.filled[page] = 0
        return 1

    # ---- signals, all of them blocked in all threads ----

    def kill(self, _t, sig):
        self.process_pending.add(sig)  # blocked signals are never ignored when they are sent
        return 0

    def tkill(self, _t, thread, sig):
        self.pending[thread].add(sig)
        return 0

    def sigqueue(self, _t, value):
        self.process_queued += (value,)
        return 0

    def tsigqueue(self, _t, thread, value):
        """pthread_sigqueue, which tells that a thread has ended; pthread_kill does not."""
        if self.gone[thread]:
            return E["ESRCH"]
        self.queued[thread] += (value,)
        return 0

    def sigpending(self, t, sig):
        if sig == REAL_TIME:
            return int(bool(self.queued[t] or self.process_queued))
        return int(sig in self.pending[t] or sig in self.process_pending)

    def sigtake_from(self, t, take):
        """The lowest number, the thread's own first; real-time signals with their values; 0: none."""
        for own in (True, False):
            queue, values = (self.pending[t], self.queued[t]) if own else (self.process_pending, self.process_queued)
            for number, sig in enumerate(SIGNALS):
                if sig in queue:
                    if take:
                        queue.discard(sig)
                    return number + 1
            if values:
                if take and own:
                    self.queued[t] = values[1:]
                elif take:
                    self.process_queued = values[1:]
                return 10 + values[0]
        return 0

    def sigtake(self, t):
        """sigtimedwait for all with a time-out of 0"""
        return self.sigtake_from(t, True) or E["EAGAIN"]

    def sigwait(self, t):
        got = self.sigtake_from(t, True)
        if not got:
            raise Wait
        return got

    def sigread(self, t, n):
        """read(2) of a signalfd"""
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        got = self.sigtake_from(t, True)
        if not got and not self.nonblocking(d, t):
            raise Wait
        return got or E["EAGAIN"]

    def ignore(self, _t, sig):
        if sig == REAL_TIME:
            self.process_queued, self.queued = (), [()] * len(self.queued)
        self.process_pending.discard(sig)
        for queue in self.pending:
            queue.discard(sig)
        return 0

    def default(self, _t, sig):
        """A handler again (it never runs: the signal is blocked)."""
        return 0

    # ---- a signal with a handler, which adds to the register of its thread; SA_RESTART ----

    def ready(self, t):
        return not self.masked[t] and bool(self.caught[t] or self.process_caught)

    def handle(self, t):
        """Takes one; how many handlers ran."""
        if not self.ready(t):
            return 0
        (self.caught[t] or self.process_caught).clear()
        return 1

    def handle_before_return(self, t, op, late):
        """How many handlers run before the call returns."""
        n = 0
        while self.must_handle(t, op):
            n += self.handle(t) if late else self.handle_all(t)
        return n

    def must_handle(self, t, op):
        alone = self.masked.count(False) == 1
        return not self.masked[t] and (
            (self.caught[t] and op in (("poke", t), ("mask", 0))) or
            (self.process_caught and (op == ("mask", 0) or (op == ("pokeall",) and alone))))

    def handle_all(self, t):
        """Linux looks at both queues, once a thread looks at all."""
        n = 0
        while self.ready(t):
            n += self.handle(t)
        return n

    def poke(self, t, thread):
        self.caught[thread].add(1)
        return 0

    def pokeall(self, t):
        self.process_caught.add(1)
        return 0

    def mask(self, t, on):
        self.masked[t] = bool(on)
        return 0

    def suspend(self, t):
        """sigsuspend with an empty mask: it ends when a signal has been handled (wake)."""
        if self.suspended[t] is None:
            self.suspended[t], self.masked[t] = self.masked[t], False
            return AGAIN
        raise Wait

    def wake(self, t):
        """Of those that wait the first is handled under the mask of the wait, the rest under the thread's own."""
        n = self.handle(t)
        self.masked[t], self.suspended[t] = self.suspended[t], None
        return n + self.handle_all(t)

    # ---- a timer whose signal is blocked, the current directory ----

    def expire(self, i):
        """Threads may be as slow as they like, so that is at any moment. False: it is not armed."""
        armed, self.timers[i] = self.timers[i], 0
        if armed:
            self.process_pending.add(("SIGUSR2", "SIGALRM")[i])
        return bool(armed)

    def clock_expires(self, i):
        """A timerfd, once; False: it is not armed."""
        armed = self.clocks[i][0]
        if armed:
            self.clocks[i] = [0, 1]
        return bool(armed)

    def setclock(self, t, n, seconds):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "clock":
            return E["EINVAL"]
        old, self.clocks[d.thing] = self.clocks[d.thing][0], [seconds, 0]
        return int(old > 0)

    def getclock(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        return int(self.clocks[d.thing][0] > 0) if d.kind == "clock" else E["EINVAL"]

    def settimer(self, _t, seconds):
        old, self.timers[0] = self.timers[0], seconds
        return int(old > 0)

    def gettimer(self, _t):
        return int(self.timers[0] > 0)

    def setitimer(self, _t, seconds):
        """ITIMER_REAL, which is alarm's, too."""
        old, self.timers[1] = self.timers[1], seconds
        return int(old > 0)

    alarm = setitimer

    def getitimer(self, _t):
        return int(self.timers[1] > 0)

    def chdir(self, _t, where):
        if where == "d" and self.inside:
            return E["ENOENT"]
        self.inside = where == "d"
        return 0

    def getcwd(self, _t):
        return int(self.inside)

    # ---- cancellation ----

    def cancel(self, _t, thread):
        self.cancel_asked[thread] = True
        return 0

    def cancelstate(self, t, off):
        old = int(self.cancel_off[t])
        self.cancel_off[t] = bool(off)
        return old

    def testcancel(self, _t):
        return 0


# Calls that look up their first argument, a descriptor, and then do their work on what they found, or fail. They keep it
# alive from the one moment to the other.
LOOKUPS = {"fchmod", "fmode", "setopt", "getopt", "read", "write", "pread", "lseek", "ftruncate", "fsize", "shutdown", "getfl", "setfl",
           "connect", "accept", "flock", "ofdlock", "setclock", "getclock", "dup", "dupfd", "poll", "epadd", "epdel",
           "sendfile", "splice", "copyrange", "pipesize", "getpipesize", "bind", "sockname", "sigread", "fsync", "fdatasync",
           "readv", "writev", "pwrite", "send", "recv", "select"}
TWO_LOOKUPS = {"sendfile", "splice", "copyrange"}  # and the second one, later
POINTS = {"epwait", "open", "close", "connect", "accept", "read", "write", "pread", "poll", "setfl_wait", "sigtake", "sigwait", "testcancel",
          "readable", "writable", "fill", "content", "sigread", "splice", "copyrange", "timedjoin", "join", "semwait", "fsync", "fdatasync", "msync",
          "getrandom", "nap", "waitpid", "select", "readv", "writev", "pwrite", "send", "recv"}
INTERRUPTED = {"read", "readv", "recv", "accept", "splice", "sigread", "semwait"}  # unless SA_RESTART
ALWAYS_INTERRUPTED = {"nap"}
