"""Random programs of kernel calls, all their interleavings, and the programs as C."""

import random

from kernel import (AGAIN, E, FIRST_FD, LOOKUPS, O_APPEND, O_CREAT, O_EXCL, O_NONBLOCK, O_RDONLY, O_RDWR, O_TRUNC, O_WRONLY, POINTS,
                    SIGNALS, Description, Kernel, Wait)

MASK = 0xffffffff
NAMES = "abc"
GROUPS = ("numbers", "file", "names", "pipe", "pair", "event", "process", "libc", "mapping", "signal", "cancel",
          "unix", "handler", "timer", "directory", "lock", "options", "epoll", "clock")


def fold(register, value):
    return (register * 31 + (value & MASK) + 1) & MASK


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
        eight = [g for g in groups if g in ("event", "clock")]
        if eight:  # their reads and writes are of eight bytes: no other kind beside them
            groups = [*eight, *(g for g in groups if g in ("libc", "mapping", "signal", "cancel", "handler", "timer", "epoll"))]
        if "unix" in groups:  # its listening socket does not wait: a server without clients is no deadlock
            groups = ["unix", *(g for g in groups if g in ("libc", "mapping", "signal", "handler", "timer"))]
        if "handler" in groups and "cancel" in groups:  # a handler in a thread that is at its end
            groups.remove("cancel")
        if "lock" in groups:  # all its descriptors are files
            groups = ["lock", *(g for g in groups if g in ("libc", "mapping", "signal", "cancel", "handler", "timer"))]
        if "directory" in groups:  # names are relative to it
            groups = [g for g in groups if g not in ("file", "names", "numbers", "process")]
        self.groups = groups
        if "epoll" in groups:  # files can't be watched
            groups = ["epoll", *(g for g in groups if g in ("pipe", "pair", "event", "clock", "libc", "mapping", "signal"))]
            self.groups = groups
        for kind in ("unix", "lock", "file", "pipe", "pair", "event", "clock"):
            if kind in groups or (kind == "file" and "numbers" in groups) or (kind == "pipe" and "epoll" in groups and not eight) or (
                    kind == "pair" and "options" in groups):
                p.setup.append(("semaphore",) if kind == "event" and r.random() < 0.4 else (kind,))
                if kind == "file" and r.random() < 0.5:  # another description of the same file
                    p.setup.append(("file",))
        count = r.choice((2, 2, 2, 3))
        self.count = count
        self.top = FIRST_FD + sum({"pipe": 2, "pair": 2, "unix": 3, "lock": 2}.get(s[0], 1) for s in p.setup) + 1
        for thread in range(count):
            self.thread = thread
            most = (4 if count == 2 else 2) - ("handler" in groups)  # where a handler may run anywhere, few are enough
            p.threads.append([getattr(self, r.choice(groups))() for _ in range(r.randint(1, most))])
            if "handler" in groups:  # the thread ends with the signal blocked, as it began
                p.threads[-1] = [("mask", 0), *p.threads[-1], ("mask", 1)]
        return p

    def fd(self):
        return self.r.randint(FIRST_FD, self.top)

    def numbers(self):
        r = self.r
        return r.choice((("close", self.fd()), ("close", self.fd()), ("dup", self.fd()), ("dup2", self.fd(), self.fd()),
                         ("open", r.choice(NAMES), O_RDWR | O_CREAT), ("getfd", self.fd()), ("setfd", self.fd(), 1),
                         ("getfl", self.fd()), ("setfl", self.fd(), r.choice((0, O_APPEND, O_NONBLOCK))),
                         ("fsize", self.fd()), ("poll", self.fd()), ("dup3", self.fd(), self.fd()),
                         ("dupfd", self.fd(), self.fd()), ("closerange", self.fd(), self.fd(), r.choice((0, 0, 4)))))

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
        return ("shutdown", self.fd()) if self.r.random() < 0.2 else self.stream()

    def options(self):
        r = self.r
        return r.choice((("setopt", self.fd(), r.randint(0, 1)), ("getopt", self.fd()), ("getopt", self.fd()),
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
        return r.choice((("poke", r.randrange(self.count)), ("poke", r.randrange(self.count)), ("pokeall",),
                         ("mask", r.randint(0, 1))))

    def timer(self):
        r = self.r
        return r.choice((("settimer", r.choice((0, 1000))), ("gettimer",)))

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
        return r.choice((("setenv", "X", r.randint(1, 2)), ("unsetenv", "X"), ("getenv", "X"), ("newkey",), ("roll",)))

    def mapping(self):
        r = self.r
        page = r.randrange(2)
        return r.choice((("protect", page, r.choice(("rw", "r", "none"))), ("unmap", page), ("remap", page), ("move", page, r.randint(0, 1)),
                         ("readable", page), ("writable", page)))

    def signal(self):
        r = self.r
        sig = r.choice(SIGNALS)
        return r.choice((("kill", sig), ("tkill", r.randrange(self.count), sig), ("sigpending", sig), ("sigtake",),
                         ("sigwait",), ("ignore", sig), ("default", sig)))

    def cancel(self):
        r = self.r
        return r.choice((("cancel", r.randrange(self.count)), ("cancel", r.randrange(self.count)),
                         ("cancelstate", r.randint(0, 1)), ("testcancel",)))


# ---- all interleavings ----

class Truth:
    def __init__(self):
        self.outcomes, self.deadlock, self.states = set(), False, 0


def start(p):
    k = Kernel(len(p.threads))
    k.pages = ["rw", "rw"]
    k.names["a"] = 0
    k.files.append([bytearray(b"pqr"), 1, 0o644])
    for (kind,) in p.setup:
        if kind == "unix":
            k.install(Description("listener", O_RDWR | O_NONBLOCK))
            k.install(Description("pair", O_RDWR))
            k.install(Description("pair", O_RDWR))
        elif kind == "lock":
            k.install(Description("file", O_RDWR, 0))
            k.install(Description("file", O_RDWR, 0))
        elif kind == "file":
            k.install(Description("file", O_RDWR, 0))
        elif kind == "pipe":
            k.pipes.append([bytearray()])
            k.install(Description("pipe", O_RDONLY, len(k.pipes) - 1))
            k.install(Description("pipe", O_WRONLY, len(k.pipes) - 1))
        elif kind == "pair":
            k.pairs.append([bytearray(), bytearray(), *[False] * 6])
            k.install(Description("pair", O_RDWR, (len(k.pairs) - 1, 0)))
            k.install(Description("pair", O_RDWR, (len(k.pairs) - 1, 1)))
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


def successors(p, pcs, regs, kernel, late):
    """late: what POSIX leaves open. Whether a cancellation point that does not wait finds a request that comes
    while it works; and how long a signal from another thread takes (not late: it comes before the next call)."""
    expired = kernel.clone()
    if expired.expire() and any(pc not in (CANCELLED, len(b)) for pc, b in zip(pcs, p.threads)):
        yield pcs, regs, expired
    for i in range(len(kernel.clocks)):
        expired = kernel.clone()
        if expired.clock_expires(i) and any(pc not in (CANCELLED, len(b)) for pc, b in zip(pcs, p.threads)):
            yield pcs, regs, expired
    for t, body in enumerate(p.threads):
        if pcs[t] == CANCELLED or pcs[t] == len(body):
            continue
        op = body[pcs[t]]
        if kernel.ready(t):
            handled, mine = kernel.clone(), regs[t]
            for _ in range(handled.handle(t) if late else handled.handle_all(t)):
                mine = fold(mine, HANDLED)
            yield pcs, regs[:t] + (mine,) + regs[t + 1:], handled
            if not late and kernel.caught[t]:
                continue  # it comes before the call
        k = kernel.clone()
        cancelled = op[0] in POINTS and k.cancel_asked[t] and not k.cancel_off[t]
        if cancelled and not k.looked[t]:
            yield leave_cancelled(pcs, regs, t, k)
            continue
        if late and op[0] in POINTS and not k.looked[t]:
            looked = kernel.clone()
            looked.looked[t] = True
            yield pcs, regs, looked
        if op[0] in LOOKUPS and k.held[t] is None and op[1] in k.fds:
            entered = kernel.clone()
            entered.enter(t, op[1])
            yield pcs, regs, entered
        try:
            result = getattr(k, op[0])(t, *op[1:])
        except Wait:
            if cancelled:
                yield leave_cancelled(pcs, regs, t, kernel.clone())
            continue
        k.leave(t)
        if result == AGAIN:
            yield pcs, regs, k
            continue
        k.looked[t] = False
        ways = [(k, late)]
        if late and k.must_handle(t, op):  # or it looks at all queues, as Linux
            ways.append((k.clone(), False))
        for after, one_by_one in ways:
            mine = regs[t]
            for _ in range(after.handle_before_return(t, op, one_by_one)):
                mine = fold(mine, HANDLED)
            yield pcs[:t] + (pcs[t] + 1,) + pcs[t + 1:], regs[:t] + (fold_result(mine, result),) + regs[t + 1:], after


def explore(p, limit):
    """What must be found, and what may; None: too many states."""
    truth = explore_once(p, limit, False)
    truth_late = truth
    if truth and any(op[0] in ("cancel", "poke", "pokeall") for body in p.threads for op in body):
        truth_late = explore_once(p, 3 * limit, True)
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
        return value if value in SIGNALS else f'"{value}"'
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
