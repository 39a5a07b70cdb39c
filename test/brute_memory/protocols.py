"""Random programs whose plain variables are each kept apart by a protocol of its own, now and then with a mistake.

Where nothing but plain memory and synchronisation is used, heddle decides from the order of accesses which of them have
to be steps (docs/design/memory-steps.md): here are all the ways in which accesses can be ordered. Beyond the operations of
program.py:

    try m then else                    else: somebody holds the mutex
    read l | write l | leave l         a lock for readers and writers
    meet b n k                         the k-th time (from 1) that this thread comes to barrier b, which is for n threads
    detach t | done s                  nobody joins t: it says by a post that it is done"""

import random

from program import Place, Program

PROTOCOLS = ("mutex", "pair", "one", "handed", "back", "try", "rw", "phase", "flag", "none", "started")


class Protocols:
    def __init__(self, seed, number):
        self.random = random.Random(f"protocols {seed}/{number}")
        self.program = Program(f"q{number}")
        self.program.rwlocks, self.program.barriers = 0, []
        self.mistakes = self.random.choice((0, 0, 0.1, 0.25))
        self.rounds = {}

    def make(self, _risky=False):
        r, p = self.random, self.program
        count = r.choice((2, 2, 3))
        self.bodies = [[] for _ in range(count)]
        self.first = []  # main's, before it creates the last thread
        for _ in range(r.choice((1, 2, 2, 3))):
            a, b = r.sample(range(count), 2)
            getattr(self, "protocol_" + r.choice(PROTOCOLS))(self.variable(), a, b)
        self.threads()
        return p

    # -- objects -----------------------------------------------------------------

    def variable(self):
        r = self.random
        self.program.areas.append(r.choice(("global", "global", "heap", "stack")))
        return Place(len(self.program.areas) - 1, 0, r.choice((4, 4, 4, 8, 1)))

    def mutex(self):
        p = self.program
        if p.mutexes < 2 or (p.mutexes < 4 and self.random.random() < 0.3):
            p.mutexes += 1
            return p.mutexes - 1
        return self.random.randrange(p.mutexes)

    def semaphore(self, value):
        self.program.sems.append(value)
        return len(self.program.sems) - 1

    # -- pieces ------------------------------------------------------------------

    def touch(self, v, writes=None):
        r = self.random
        writes = r.random() < 0.6 if writes is None else writes
        return ("store", v, "plain", r.randint(1, 2)) if writes else ("load", v, "plain")

    def around(self, before, body, after):
        """The body in its protocol, unless this is the mistake: then one half is missing, or all of it."""
        if self.random.random() >= self.mistakes:
            return before + body + after
        return body + [op for op in before + after if op[0] == "post"]

    def add(self, t, ops):
        """Somewhere in the thread's body: blocks are never torn."""
        body = self.bodies[t]
        body.insert(self.random.randint(0, len(body)), ops)

    def add_in_order(self, t, *blocks):
        body, at = self.bodies[t], 0
        for ops in blocks:
            at = self.random.randint(at, len(body))
            body.insert(at, ops)
            at += 1

    def everybody(self, piece):
        for t in range(len(self.bodies)):
            for _ in range(self.random.choice((0, 1, 1))):
                self.add(t, piece())

    # -- protocols ---------------------------------------------------------------

    def protocol_none(self, v, a, b):
        self.add(a, [self.touch(v)])
        if self.random.random() < self.mistakes:
            self.add(b, [self.touch(v)])

    def protocol_mutex(self, v, _a, _b):
        m = self.mutex()
        self.everybody(lambda: self.around([("lock", m)], [self.touch(v)], [("unlock", m)]))

    def protocol_pair(self, v, a, b):
        """Who writes holds both, who reads holds one."""
        r = self.random
        m, n = sorted((self.mutex(), self.mutex()))
        if m == n:
            return self.protocol_mutex(v, a, b)
        both = [("lock", m), ("lock", n)], [("unlock", x) for x in r.sample((m, n), 2)]
        self.add(a, self.around(both[0], [self.touch(v, True), self.touch(v)], both[1]))
        for t in range(len(self.bodies)):
            one = r.choice((m, n))
            if t != a:
                self.add(t, self.around([("lock", one)], [self.touch(v, False)], [("unlock", one)]))

    def protocol_one(self, v, _a, _b):
        s = self.semaphore(self.random.choice((1, 1, 1, 1, 2)))
        self.everybody(lambda: self.around([("wait", s)], [self.touch(v)], [("post", s)]))

    def protocol_handed(self, v, a, b):
        s = self.semaphore(0)
        self.add_in_order(a, [self.touch(v)], [("post", s)])
        self.add_in_order(b, [("wait", s)], [self.touch(v)])
        if self.random.random() < self.mistakes:
            self.add(a, [("post", s)])

    def protocol_back(self, v, a, b):
        s, u = self.semaphore(0), self.semaphore(0)
        self.add_in_order(a, [self.touch(v), ("post", s)], self.around([("wait", u)], [self.touch(v)], []))
        self.add_in_order(b, [("wait", s)], [self.touch(v), ("post", u)])

    def protocol_try(self, v, _a, _b):
        m = self.mutex()
        self.everybody(lambda: [("try", m, [self.touch(v), ("unlock", m)],
                                 [self.touch(v) if self.random.random() < self.mistakes else ("mark", 3)])])
        self.everybody(lambda: self.around([("lock", m)], [self.touch(v)], [("unlock", m)]))

    def protocol_rw(self, v, _a, _b):
        lock = self.program.rwlocks
        self.program.rwlocks += 1

        def piece():
            writes = self.random.random() < 0.5
            taken = "read" if not writes or self.random.random() < self.mistakes else "write"
            return [(taken, lock), self.touch(v, writes), ("leave", lock)]
        self.everybody(piece)

    def protocol_phase(self, v, a, b):
        """Before the barrier it is a's, afterwards b's."""
        p = self.program
        if not p.barriers:
            p.barriers.append(len(self.bodies))
            for t, body in enumerate(self.bodies):
                self.rounds[t] = 1
                body.insert(self.random.randint(0, len(body)), [("meet", 0, len(self.bodies), 1)])
        for t, early in ((a, True), (b, False)):
            body = self.bodies[t]
            at = next(i for i, ops in enumerate(body) if ops[0][0] == "meet")
            if self.random.random() < self.mistakes:
                early = not early
            body.insert(self.random.randint(0, at) if early else self.random.randint(at + 1, len(body)), [self.touch(v)])

    def protocol_flag(self, v, a, b):
        """As queues do it: whoever finds the flag set, under the mutex, owns the variable."""
        m, flag = self.mutex(), self.variable()
        self.add(a, [*([] if self.random.random() < self.mistakes else [self.touch(v)]), ("lock", m),
                     ("store", flag, "plain", 1), ("unlock", m),
                     *([self.touch(v)] if self.random.random() < self.mistakes else [])])
        self.add(b, [("lock", m), ("if", flag, "plain", 1, [("unlock", m), self.touch(v)], [("unlock", m)])])

    def protocol_started(self, v, a, b):
        """Main writes before it creates the last thread, which is the one to use it."""
        self.first.append(self.touch(v, True))
        last = len(self.bodies) - 1
        self.add(last if self.random.random() >= self.mistakes else a, [self.touch(v)])

    # -- threads -----------------------------------------------------------------

    def threads(self):
        r, p = self.random, self.program
        main, left = [], []
        for t in range(1, len(self.bodies) + 1):
            if t == len(self.bodies):
                main += self.first
            main.append(("create", t))
            if r.random() < 0.15:
                s = self.semaphore(0)
                self.bodies[t - 1].append([("done", s)])
                main.append(("detach", t))
                left.append(("wait", s))
            else:
                left.append(("join", t))
        r.shuffle(left)
        p.threads = [main + left, *([op for block in body for op in block] for body in self.bodies)]


def generate(seed, number, risky=False):
    return Protocols(seed, number).make(risky)
