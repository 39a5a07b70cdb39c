"""Random programs of kernel calls, all their interleavings, and the programs as C."""

import random

from kernel import (AGAIN, ALWAYS_INTERRUPTED, E, FIRST_FD, INTERRUPTED, LOOKUPS, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY,
                    O_RDWR, O_TRUNC, O_WRONLY, POINTS, REAL_TIME, SIGNALS, TWO_LOOKUPS, Description, Kernel, Unclear, Wait)

MASK = 0xffffffff
NAMES = "abc"
GROUPS = ("numbers", "file", "names", "pipe", "pair", "event", "process", "libc", "mapping", "signal", "cancel",
          "unix", "handler", "timer", "directory", "lock", "options", "epoll", "clock", "transfer", "points", "join",
          "robust", "semaphores", "signalfd", "settings", "inet")


def fold(register, value):
    return (register * 31 + (value & MASK) + 1) & MASK


# Groups whose descriptors are of kinds of their own, and which others may be beside them.
APART = {"transfer": ("libc", "mapping", "signal", "cancel", "semaphores", "points", "join", "settings"),
         "signalfd": ("libc", "mapping", "cancel", "semaphores", "timer", "settings", "join"),
         "inet": ("libc", "mapping", "signal", "cancel", "semaphores", "settings", "robust")}
ENDS_MATTER = {"tsigqueue", "tryjoin", "timedjoin", "join", "lock", "trylock"}
OPTIONS = ("SO_KEEPALIVE", "SO_PRIORITY", "SO_OOBINLINE", "SO_REUSEADDR")
# Functions that return an error number, and those that heddle itself defines.
ERROR_NUMBERS = {"delkey", "setkey", "poke", "mask", "tkill", "tsigqueue", "settitle", "set"}
RETURN_POINTS = {"poke", "shutdown", "read", "write", "readv", "writev", "close", "poll", "nap", "send", "recv", "connect", "accept",
                 "semwait", "semtry", "sempost"}
SETTINGS = ("core", "dump", "cpus", "nice")


class Program:
    def __init__(self, name):
        self.name = name
        self.setup = []      # (what, arguments): objects made before the threads
        self.threads = []    # lists of (call, arguments…)


class Generator:
    def __init__(self, seed, number, groups=GROUPS):
        self.among = groups
        self.r = random.Random(f"kernel {seed}/{number}")
        self.p = Program(f"k{number}")

    def make(self):
        r, p = self.r, self.p
        groups = r.sample(self.among, min(r.choice((1, 2, 2, 3)), len(self.among)))
        if "cancel" in groups and len(groups) == 1:
            groups.append(r.choice(("numbers", "file", "pipe")))
        for apart, beside in APART.items():
            if apart in groups:
                groups = [apart, *(g for g in groups if g in beside)]
        eight = [g for g in groups if g in ("event", "clock")]
        if eight:  # their reads and writes are of eight bytes: no other kind beside them
            groups = [*eight, *(g for g in groups if g in ("libc", "mapping", "signal", "cancel", "handler", "timer", "epoll", "join", "robust", "semaphores"))]
        if "unix" in groups:  # its listening socket does not wait: a server without clients is no deadlock
            groups = ["unix", *(g for g in groups if g in ("libc", "mapping", "signal", "handler", "timer", "semaphores"))]
        if "handler" in groups:  # not in a thread that is at its end; and some calls with errors are no steps
            groups = [g for g in groups if g not in ("cancel", "robust", "join")]
        if "lock" in groups:  # all its descriptors are files
            groups = ["lock", *(g for g in groups if g in ("libc", "mapping", "signal", "cancel", "handler", "timer"))]
        if "directory" in groups:  # names are relative to it
            groups = [g for g in groups if g not in ("file", "names", "numbers", "process")]
        self.groups = groups
        if "epoll" in groups:  # files can't be watched
            groups = ["epoll", *(g for g in groups if g in ("pipe", "pair", "event", "clock", "libc", "mapping", "signal"))]
            self.groups = groups
        if "handler" in groups and r.random() < 0.5:
            p.setup.append(("norestart",))
        for kind in ("unix", "lock", "file", "pipe", "pair", "event", "clock", "signalfd", "inet"):
            if kind in groups or (kind == "file" and {"numbers", "transfer"} & set(groups)) or (
                    kind == "pipe" and ("epoll" in groups and not eight or "transfer" in groups)) or (
                    kind == "pair" and "options" in groups) or (kind == "pair" and "points" in groups and r.random() < 0.5) or (
                    kind == "file" and "points" in groups and "file" not in groups and r.random() < 0.5):
                p.setup.append(("semaphore",) if kind == "event" and r.random() < 0.4 else (kind,))
                if kind == "file" and r.random() < 0.5:  # another description of the same file
                    p.setup.append(("file",))
        count = r.choice((2, 2, 2, 3))
        self.count = count
        self.top = FIRST_FD + sum({"pipe": 2, "pair": 2, "unix": 3, "lock": 2, "inet": 2, "norestart": 0}.get(s[0], 1) for s in p.setup) + 1
        for thread in range(count):
            self.thread = thread
            most = (4 if count == 2 else 2) - ("handler" in groups)  # where a handler may run anywhere, few are enough
            p.threads.append([getattr(self, r.choice(groups))() for _ in range(r.randint(1, most))])
            if "handler" in groups:  # the thread ends with the signal blocked, as it began
                p.threads[-1] = [("mask", 0), *p.threads[-1], ("mask", 1)]
        return p

    def fd(self):
        return self.r.randint(FIRST_FD, self.top)

    def target(self):
        """A thread to cancel or to send a signal to: none that may have been joined."""
        return self.r.randrange(self.count - ("join" in self.groups))

    def numbers(self):
        r = self.r
        return r.choice((("close", self.fd()), ("close", self.fd()), ("dup", self.fd()), ("dup2", self.fd(), self.fd()),
                         ("open", r.choice(NAMES), O_RDWR | O_CREAT), ("getfd", self.fd()), ("setfd", self.fd(), 1),
                         ("getfl", self.fd()), ("setfl", self.fd(), r.choice((0, O_APPEND, O_NONBLOCK))),
                         ("fsize", self.fd()), ("poll", self.fd()), ("dup3", self.fd(), self.fd()),
                         ("dupfd", self.fd(), self.fd()), (r.choice(("newpipe", "newpair")),), ("closerange", self.fd(), self.fd(), r.choice((0, 0, 4)))))

    def file(self):
        r = self.r
        return r.choice((("read", self.fd(), r.randint(1, 2)), ("write", self.fd(), r.randint(65, 70)),
                         ("write", self.fd(), r.randint(65, 70)), ("pread", self.fd(), 2, r.randint(0, 1)),
                         ("lseek", self.fd(), r.randint(0, 2), r.choice((0, 1, 2))), ("ftruncate", self.fd(), r.randint(0, 2)),
                         ("fsize", self.fd()), ("setfl", self.fd(), O_APPEND), ("fchmod", self.fd(), r.choice((0o600, 0o640))),
                         ("fmode", self.fd()),
                         ("open", r.choice(NAMES), r.choice((O_RDWR if "names" in self.groups else O_RDONLY, O_RDWR | O_CREAT | O_TRUNC, O_WRONLY | O_APPEND)))))

    def names(self):
        r = self.r
        a, b = r.sample(NAMES, 2)
        return r.choice((("open", a, r.choice((O_RDWR | O_CREAT, O_RDWR | O_CREAT | O_EXCL, O_RDWR))), ("unlink", a),
                         ("link", a, b), ("rename", a, b), ("mkdir", a), ("rmdir", a), ("exists", a), ("mode", a)))

    def stream(self):
        r = self.r
        return r.choice((("read", self.fd(), r.randint(1, 2)), ("write", self.fd(), r.randint(1, 5)),
                         ("write", self.fd(), r.randint(1, 5)), ("poll", self.fd()), ("close", self.fd()),
                         ("setfl", self.fd(), O_NONBLOCK)))

    pipe = event = stream

    def pair(self):
        return ("shutdown", self.fd(), self.r.choice((0, 1, 1, 2))) if self.r.random() < 0.2 else self.stream()

    def options(self):
        r = self.r
        which = r.choice(OPTIONS)
        return r.choice((("setopt", self.fd(), which, r.randint(0, 1)), ("getopt", self.fd(), which), ("getopt", self.fd(), which),
                         ("close", self.fd()), ("dup", self.fd())))

    def epoll(self):
        r = self.r
        return r.choice((("epadd", self.fd()), ("epadd", self.fd()), ("epdel", self.fd()), ("epwait",), ("epwait",),
                         ("write", self.fd(), r.randint(1, 5)), ("read", self.fd(), 1), ("close", self.fd()), ("dup", self.fd())))

    def unix(self):
        r = self.r
        return r.choice((("connect", r.randint(FIRST_FD, FIRST_FD + 2)), ("connect", r.randint(FIRST_FD, FIRST_FD + 2)),
                         ("accept", FIRST_FD), ("accept", FIRST_FD), self.stream(), self.stream()))

    def lock(self):
        r = self.r
        return r.choice((*[(r.choice(("flock", "ofdlock")), self.fd(), r.choice((1, 2, 2, 8)))] * 4, ("close", self.fd()), ("dup", self.fd()),
                         ("open", r.choice("ab"), O_RDWR | O_CREAT)))

    def handler(self):
        r = self.r
        return r.choice((("poke", self.target()), ("poke", self.target()), ("pokeall",), ("pokeall",),
                         ("mask", r.randint(0, 1)), ("suspend",), ("nap",)))

    def timer(self):
        r = self.r
        return r.choice((("settimer", r.choice((0, 1000))), ("gettimer",), ("setitimer", r.choice((0, 1000))), ("getitimer",),
                         ("alarm", r.choice((0, 1000))), ("sigtake",)))

    def clock(self):
        r = self.r
        return r.choice((("setclock", self.fd(), r.choice((0, 1000))), ("setclock", self.fd(), 1000), ("getclock", self.fd()),
                         ("read", self.fd(), 8), ("poll", self.fd()), ("close", self.fd()), ("dup", self.fd()),
                         ("setfl", self.fd(), O_NONBLOCK)))

    def directory(self):
        r = self.r
        return r.choice((("chdir", r.choice(("d", ".."))), ("getcwd",)))

    def process(self):
        r = self.r
        return r.choice((("umask", r.choice((0o22, 0o77))), ("open", r.choice(NAMES), O_RDWR | O_CREAT),
                         ("mode", r.choice(NAMES)), ("setlimit", r.choice((5, 1024))), ("getlimit",),
                         ("settitle", r.randint(1, 3)), ("gettitle",)))

    def libc(self):
        r = self.r
        return r.choice((("setenv", "X", r.randint(1, 2)), ("unsetenv", "X"), ("getenv", "X"), ("newkey",), ("newkey",),
                         ("delkey", 1), ("setkey", r.randint(1, 2)), ("roll",)))

    def mapping(self):
        r = self.r
        page = r.randrange(2)
        return r.choice((("protect", page, r.choice(("rw", "r", "none"))), ("unmap", page), ("remap", page), ("move", page, r.randint(0, 1)),
                         ("readable", page), ("writable", page), ("forget", page), ("fill", page), ("content", page)))

    def signal(self):
        r = self.r
        sig = r.choice((*SIGNALS, REAL_TIME))
        if sig == REAL_TIME and r.random() < 0.5:
            return r.choice((("sigqueue", r.randint(1, 3)), ("tsigqueue", self.target(), r.randint(1, 3))))
        plain = r.choice(SIGNALS)
        return r.choice((("kill", plain), ("tkill", self.target(), plain), ("sigpending", sig), ("sigtake",),
                         ("sigwait",), ("ignore", sig), ("default", sig)))

    def cancel(self):
        r = self.r
        return r.choice((("cancel", self.target()), ("cancel", self.target()),
                         ("cancelstate", r.randint(0, 1)), ("testcancel",)))

    def transfer(self):
        r = self.r
        return r.choice((*[(r.choice(("sendfile", "splice", "splice", "copyrange")), self.fd(), self.fd(), r.randint(1, 2))] * 4,
                         ("splice", FIRST_FD + len(self.p.setup) - 1, FIRST_FD, 1), ("write", self.fd(), r.randint(1, 5)),
                         ("write", self.fd(), r.randint(1, 5)), ("close", self.fd()), ("read", self.fd(), 1),
                         ("open", "b", O_RDWR | O_CREAT), ("pipesize", self.fd(), r.choice((1, 2))), ("getpipesize", self.fd())))

    def points(self):
        r = self.r
        own = ("nap",) if "handler" in self.groups else ("getrandom",)  # which is no step: no handler comes in between
        return r.choice((("fsync", self.fd()), ("fdatasync", self.fd()), ("msync", r.randrange(2)), own, ("nap",),
                         ("waitpid",), ("select", self.fd()), ("readv", self.fd(), r.randint(1, 2)),
                         ("writev", self.fd(), r.randint(65, 70)), ("pwrite", self.fd(), r.randint(65, 70), r.randint(0, 1)),
                         ("send", self.fd(), r.randint(1, 5)), ("recv", self.fd(), 1)))

    def join(self):
        r = self.r
        if self.thread == 0:
            return (r.choice(("tryjoin", "tryjoin", "timedjoin", "join")), self.count - 1)
        return r.choice((("sempost",), ("semtry",), ("semwait",)))

    def robust(self):
        return self.r.choice((("lock",), ("lock",), ("trylock",), ("unlock",), ("consistent",)))

    def semaphores(self):
        return self.r.choice((("sempost",), ("sempost",), ("semtry",), ("semwait",)))

    def signalfd(self):
        r = self.r
        return r.choice((("kill", r.choice(SIGNALS)), ("kill", r.choice(SIGNALS)), ("sigqueue", r.randint(1, 3)),
                         ("sigread", self.fd()), ("sigread", self.fd()), ("poll", self.fd()), ("close", self.fd()), ("dup", self.fd()),
                         ("setfl", self.fd(), O_NONBLOCK), ("sigtake",), ("ignore", r.choice(SIGNALS))))

    def settings(self):
        r = self.r
        what = r.choice(SETTINGS)
        return r.choice((("set", what, 1), ("set", what, 2), ("get", what), ("get", what)))

    def inet(self):
        r = self.r
        return r.choice((("bind", self.fd(), r.randint(1, 2)), ("bind", self.fd(), r.randint(1, 2)), ("sockname", self.fd()),
                         ("sockname", self.fd()), ("close", self.fd()), ("dup", self.fd())))


# ---- all interleavings ----

class Truth:
    def __init__(self):
        self.outcomes, self.deadlock, self.states = set(), False, 0


def start(p):
    k = Kernel(len(p.threads))
    k.pages = ["rw", "rw"]
    k.pokes = any(op[0] in ("poke", "pokeall") for body in p.threads for op in body)
    k.names["a"] = 0
    k.files.append([bytearray(b"pqr"), 1, 0o644])
    for (kind,) in p.setup:
        if kind == "norestart":
            k.restarts = False
        elif kind == "unix":
            k.install(Description("listener", O_RDWR | O_NONBLOCK))
            k.install(Description("pair", O_RDWR))
            k.install(Description("pair", O_RDWR))
        elif kind == "lock":
            k.install(Description("file", O_RDWR, 0))
            k.install(Description("file", O_RDWR, 0))
        elif kind == "file":
            k.install(Description("file", O_RDWR, 0))
        elif kind == "pipe":
            k.pipes.append([bytearray(), 16])
            k.install(Description("pipe", O_RDONLY, len(k.pipes) - 1))
            k.install(Description("pipe", O_WRONLY, len(k.pipes) - 1))
        elif kind == "pair":
            k.pairs.append([bytearray(), bytearray(), *[False] * 6])
            k.install(Description("pair", O_RDWR, (len(k.pairs) - 1, 0)))
            k.install(Description("pair", O_RDWR, (len(k.pairs) - 1, 1)))
        elif kind == "signalfd":
            k.install(Description("signalfd", O_RDWR))
        elif kind == "inet":
            k.install(Description("inet", O_RDWR))
            k.install(Description("inet", O_RDWR))
        elif kind == "clock":
            k.clocks.append([0, 0])
            k.install(Description("clock", O_RDWR, len(k.clocks) - 1))
        else:
            k.events.append([0, int(kind == "semaphore")])
            k.install(Description("event", O_RDWR, len(k.events) - 1))
    return k


CANCELLED = -1
HANDLED = 500


def fold_result(register, result):
    if isinstance(result, bytes):
        register = fold(register, len(result))
        for byte in result:
            register = fold(register, byte)
        return register
    return fold(register, result)


def leave_cancelled(pcs, regs, t, k):
    k.leave(t)
    return pcs[:t] + (CANCELLED,) + pcs[t + 1:], regs[:t] + (fold(regs[t], 777),) + regs[t + 1:], k


def is_over(p, pcs, t):
    return pcs[t] in (CANCELLED, len(p.threads[t]))


def happenings(p, pcs, regs, kernel):
    """What no call does: timers expire, threads end."""
    def result(do):
        after = kernel.clone()
        return [(pcs, regs, after)] if do(after) else []

    if not all(is_over(p, pcs, t) for t in range(len(pcs))):
        for i in range(len(kernel.timers)):
            yield from result(lambda k, i=i: k.expire(i))
        for i in range(len(kernel.clocks)):
            yield from result(lambda k, i=i: k.clock_expires(i))
    for t in range(len(pcs)):
        if is_over(p, pcs, t) and not kernel.gone[t] and any(op[0] in ENDS_MATTER for body in p.threads for op in body):
            yield from result(lambda k, t=t: not k.end(t))


def changed(values, t, value):
    return values[:t] + (value,) + values[t + 1:]


def with_handlers(register, count):
    for _ in range(count):
        register = fold(register, HANDLED)
    return register


def interrupted(op, pcs, regs, t, k, count, late):
    """A call that waits ends with EINTR, behind so many handlers."""
    k.leave(t)
    k.looked[t] = False
    return over(op, pcs, changed(regs, t, with_handlers(regs[t], count)), t, k, E["EINTR"], late)


def over(op, pcs, regs, t, k, result, late):
    """The call's work is done. A handler may still run before the thread looks at the result: required where it returns
    from heddle's own function to the program, or the thread looks at errno; allowed everywhere."""
    fails = isinstance(result, int) and result < 0 and op[0] not in ERROR_NUMBERS
    if k.pokes and not k.masked[t] and (late or fails or op[0] in RETURN_POINTS):
        k.returning[t] = result
        return pcs, regs, k
    return returned(pcs, regs, t, k, result)


def returned(pcs, regs, t, k, result):
    k.returning[t] = None
    return changed(pcs, t, pcs[t] + 1), changed(regs, t, fold_result(regs[t], result)), k


def is_point(kernel, op):
    """With glibc, who joins a thread that has ended is not cancelled there."""
    return op[0] in POINTS and not (op[0] in ("join", "timedjoin") and kernel.gone[op[1]] and not kernel.joined[op[1]])


def interrupts(kernel, t, op):
    return kernel.ready(t) and (op[0] in ALWAYS_INTERRUPTED or (op[0] in INTERRUPTED and not kernel.restarts))


def successors(p, pcs, regs, kernel, late):
    """late: what POSIX leaves open. Whether a cancellation point that does not wait finds a request that comes
    while it works; and how long a signal from another thread takes (not late: it comes before the next call)."""
    yield from happenings(p, pcs, regs, kernel)
    for t in range(len(pcs)):
        if not is_over(p, pcs, t):
            yield from steps(p.threads[t][pcs[t]], t, pcs, regs, kernel, late)


def steps(op, t, pcs, regs, kernel, late):
    """Of thread t, whose next call is op."""
    if kernel.returning[t] is not None:
        if kernel.ready(t):
            k = kernel.clone()
            yield pcs, changed(regs, t, with_handlers(regs[t], k.handle(t) if late else k.handle_all(t))), k
        yield returned(pcs, regs, t, kernel.clone(), kernel.returning[t])
        return
    if kernel.suspended[t] is not None:
        if kernel.ready(t):
            k = kernel.clone()
            yield interrupted(op, pcs, regs, t, k, k.wake(t), late)
        return
    if interrupts(kernel, t, op) and (op[0] in ALWAYS_INTERRUPTED or waits(kernel, t, op)):
        k = kernel.clone()
        yield interrupted(op, pcs, regs, t, k, k.handle(t) if late else k.handle_all(t), late)
    if kernel.ready(t):
        handled = kernel.clone()
        yield pcs, changed(regs, t, with_handlers(regs[t], handled.handle(t) if late else handled.handle_all(t))), handled
        if not late and kernel.caught[t]:
            return  # it comes before the call
    k = kernel.clone()
    cancelled = is_point(kernel, op) and k.cancel_asked[t] and not k.cancel_off[t]
    if cancelled and not k.looked[t]:
        yield leave_cancelled(pcs, regs, t, k)
        return
    if late and is_point(kernel, op) and not k.looked[t]:
        looked = kernel.clone()
        looked.looked[t] = True
        yield pcs, regs, looked
    yield from lookups(op, t, pcs, regs, kernel)
    try:
        result = getattr(k, op[0])(t, *op[1:])
    except Wait:
        if cancelled:
            yield leave_cancelled(pcs, regs, t, kernel.clone())
        return
    k.leave(t)
    if result == AGAIN:
        yield pcs, regs, k
        return
    k.looked[t] = False
    ways = [(k, late)]
    if late and k.must_handle(t, op):  # or it looks at all queues, as Linux
        ways.append((k.clone(), False))
    if late and k.caught[t] and not k.masked[t]:  # sent meanwhile: handled before the call returns, with all that is there
        after = k.clone()
        yield over(op, pcs, changed(regs, t, with_handlers(regs[t], after.handle_all(t))), t, after, result, late)
    for after, one_by_one in ways:
        mine = with_handlers(regs[t], after.handle_before_return(t, op, one_by_one))
        yield over(op, pcs, changed(regs, t, mine), t, after, result, late)


def waits(kernel, t, op):
    try:
        getattr(kernel.clone(), op[0])(t, *op[1:])
    except Wait:
        return True
    return False


def lookups(op, t, pcs, regs, kernel):
    if op[0] in LOOKUPS and kernel.held[t] is None and op[1] in kernel.fds:
        entered = kernel.clone()
        entered.enter(t, op[1])
        yield pcs, regs, entered
    elif op[0] in TWO_LOOKUPS and kernel.held[t] is not None and kernel.held_second[t] is None and op[2] in kernel.fds:
        entered = kernel.clone()
        entered.enter_second(t, op[2])
        yield pcs, regs, entered


def explore(p, limit):
    """What must be found, and what may; None: too many states."""
    try:
        truth = truth_late = explore_once(p, limit, False)
        if truth and any(op[0] in ("cancel", "poke", "pokeall") for body in p.threads for op in body):
            truth_late = explore_once(p, 3 * limit, True)
    except Unclear:
        return None
    if not truth_late:
        return None
    truth.allowed, truth.allowed_deadlock = truth_late.outcomes, truth_late.deadlock
    return truth


def explore_once(p, limit, late):
    truth = Truth()
    first = (tuple([0] * len(p.threads)), tuple([0] * len(p.threads)), start(p))
    seen, stack = {(first[0], first[1], first[2].key())}, [first]
    while stack:
        pcs, regs, kernel = stack.pop()
        moved = False
        for after in successors(p, pcs, regs, kernel, late):
            moved = True
            key = (after[0], after[1], after[2].key())
            if key not in seen:
                seen.add(key)
                stack.append(after)
        if len(seen) > limit:
            return None
        if not moved:
            if all(pc in (CANCELLED, len(b)) for pc, b in zip(pcs, p.threads)):
                value = 0
                for x in regs:
                    value = (value * 1000003 + x) & MASK
                truth.outcomes.add(value)
            else:
                truth.deadlock = True
    truth.states = len(seen)
    return truth


# ---- as C ----

def c_argument(value):
    if isinstance(value, str):
        return value if value in (*SIGNALS, REAL_TIME, *OPTIONS) else f'"{value}"'
    return str(value)


def emit(programs):
    parts = ['#include "prelude.h"', ""]
    for p in programs:
        for t, body in enumerate(p.threads):
            parts += [f"static void *{p.name}_{t}(void *arg)", "{", "\tunsigned *reg = arg;", "\tbegin();"]
            parts += [f"\tcall_{op[0]}({', '.join(['reg', *map(c_argument, op[1:])])});" for op in body]
            parts += ["\treturn NULL;", "}", ""]
        parts += [f"static void {p.name}(void)", "{"]
        parts += [f"\tsetup_{kind}();" for (kind,) in p.setup]
        parts += [f"\tstart({t}, {p.name}_{t});" for t in range(len(p.threads))]
        parts += [f"\tfinish({len(p.threads)});", "}", ""]
    table = ", ".join(f'{{"{p.name}", {p.name}}}' for p in programs)
    parts.append(f"static const struct entry table[] = {{{table}}};\n")
    parts.append("int main(int argc, char **argv)\n{\n\treturn run_entry(table, sizeof(table) / sizeof(table[0]), argc, argv);\n}\n")
    return "\n".join(parts)


def generate(seed, number, groups=GROUPS):
    return Generator(seed, number, groups).make()


__all__ = ["E", "emit", "explore", "generate"]
