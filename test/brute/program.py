"""Small random thread programs, as abstract trees.

A program is a set of objects and one list of operations per thread. Operations
are tuples; those with two bodies branch on whether they got the object:

    lock m | unlock m | try m got else | timed m got else
    wait s | post s | trywait s got else | timedwait s got else | getvalue s
    rd r | wr r | rwunlock r | tryrd r got else | trywr r got else
    set v k | add v k | mul v k | note v        (under the lock that guards v)
    await c loop timed | signal c | broadcast c (await: under the mutex of c)
    barrier b | join t | put p k | get p | choose n | yield | mark k

Each thread has a register; note, mark and the answers of operations are folded
into it. Main joins all threads and reports a hash of registers and variables.
Every variable has a guard and is used only under it, so programs are
race-free and the size of a step cannot show in the outcome."""

import random

MUTEX_KINDS = ("normal", "normal", "recursive", "spin")
FEATURES = ("mutex", "try", "timed", "sem", "trysem", "rw", "tryrw", "cond", "barrier", "join", "pipe", "choose")


class Program:
    def __init__(self, name):
        self.name = name
        self.mutexes = []      # kind
        self.sems = []         # initial value
        self.rwlocks = []      # "reader" or "writer" preferred
        self.conds = []        # (mutex, flag variable)
        self.barriers = []     # count
        self.pipes = 0
        self.guard = []        # per variable: ("m", i) or ("r", i)
        self.threads = []      # list of operations each
        self.joined = set()    # threads that another thread joins
        self.spurious = False

    def variable(self, guard):
        self.guard.append(guard)
        return len(self.guard) - 1


class Generator:
    def __init__(self, seed, number):
        self.random = random.Random(f"{seed}/{number}")
        self.program = Program(f"p{number}")

    def make(self):
        r, p = self.random, self.program
        count = r.choice((2, 2, 3))
        self.features = set(r.sample(FEATURES, r.choice((2, 3, 4)))) | {"mutex"}
        self.make_objects(count)
        for thread in range(count):
            self.thread, self.count, self.branches = thread, count, 0
            self.budget = r.randint(2, 6 if count == 2 else 4)
            body = []
            while self.budget > 0:
                body += self.block([])
            p.threads.append(body)
        return p

    def make_objects(self, count):
        r, p, f = self.random, self.program, self.features
        p.mutexes = [r.choice(MUTEX_KINDS) for _ in range(r.randint(1, 3))]
        for m in range(len(p.mutexes)):
            p.variable(("m", m))
        if f & {"sem", "trysem"}:
            p.sems = [r.choice((0, 0, 1, 1, 2)) for _ in range(r.randint(1, 2))]
        if f & {"rw", "tryrw"}:
            p.rwlocks = [r.choice(("reader", "reader", "writer"))]
            p.variable(("r", 0))
        if "cond" in f:
            p.mutexes.append("normal")
            p.conds = [(len(p.mutexes) - 1, p.variable(("m", len(p.mutexes) - 1)))]
            p.spurious = r.random() < 0.3
        if "barrier" in f:
            p.barriers = [r.choice((2, count))]
        if "pipe" in f:
            p.pipes = 1

    # -- blocks: each spends some of the budget --------------------------------

    def block(self, held):
        """A few operations; `held`: mutexes and rwlocks held around it."""
        self.budget -= 1
        choices = [getattr(self, "block_" + f) for f in sorted(self.features)]
        return self.random.choice(choices)(held)

    def inner(self, held):
        """What happens under a lock: accesses, now and then another block."""
        ops = [self.access(held) for _ in range(self.random.randint(1, 2))]
        if self.budget > 0 and len(held) < 3 and self.random.random() < 0.45:
            ops.insert(self.random.randint(0, len(ops)), None)
            at = ops.index(None)
            ops[at:at + 1] = self.block(held)
        return ops

    def branch(self, held):
        """What happens only if something was got."""
        self.branches += 1
        ops = self.inner(held)
        self.branches -= 1
        return ops

    def access(self, held):
        r, p = self.random, self.program
        usable = [(v, h[2]) for v, g in enumerate(p.guard) for h in held if h[:2] == g]
        if not usable:
            return ("mark", r.randint(1, 9))
        v, writing = r.choice(usable)
        if not writing or r.random() < 0.4:
            return ("note", v)
        return (r.choice(("set", "add", "mul")), v, r.randint(1, 5))

    def pick_mutex(self, held):
        """Any mutex; one that is held already only rarely (that is a deadlock or recursion)."""
        p, r = self.program, self.random
        free = [m for m in range(len(p.mutexes)) if not any(h[:2] == ("m", m) for h in held)]
        return r.randrange(len(p.mutexes)) if not free or r.random() < 0.04 else r.choice(free)

    def block_mutex(self, held):
        m = self.pick_mutex(held)
        if len(self.program.mutexes) > 1 and self.random.random() < 0.3:
            other = self.pick_mutex(held + [("m", m, True)])
            both = held + [("m", m, True), ("m", other, True)]
            unlocks = [("unlock", m), ("unlock", other)]
            self.random.shuffle(unlocks)
            return [("lock", m), ("lock", other), *self.inner(both), *unlocks]
        return [("lock", m), *self.inner(held + [("m", m, True)]), ("unlock", m)]

    def block_try(self, held, operation="try"):
        m = self.pick_mutex(held)
        got = [("mark", 1), *self.branch(held + [("m", m, True)]), ("unlock", m)]
        return [(operation, m, got, [("mark", 2)])]

    def block_timed(self, held):
        if all(k == "spin" for k in self.program.mutexes):
            return self.block_try(held)
        m = self.pick_mutex(held)
        if self.program.mutexes[m] == "spin":
            return self.block_mutex(held)
        got = [("mark", 1), *self.branch(held + [("m", m, True)]), ("unlock", m)]
        return [("timed", m, got, [("mark", 2)])]

    def block_sem(self, _held):
        r = self.random
        s = r.randrange(len(self.program.sems))
        return r.choice(([("wait", s)], [("post", s)], [("post", s)], [("wait", s), ("mark", 3), ("post", s)]))

    def block_trysem(self, _held):
        r = self.random
        s = r.randrange(len(self.program.sems))
        branches = [("mark", 4)], [("mark", 5)]
        return r.choice(([("trywait", s, *branches)], [("timedwait", s, *branches)], [("getvalue", s)], [("post", s)]))

    def block_rw(self, held):
        if any(h[0] == "r" for h in held):
            return self.block_mutex(held)
        writing = self.random.random() < 0.5
        return [("wr" if writing else "rd", 0), *self.inner(held + [("r", 0, writing)]), ("rwunlock", 0)]

    def block_tryrw(self, held):
        if any(h[0] == "r" for h in held):
            return self.block_try(held)
        writing = self.random.random() < 0.5
        got = [("mark", 6), *self.branch(held + [("r", 0, writing)]), ("rwunlock", 0)]
        return [("trywr" if writing else "tryrd", 0, got, [("mark", 7)])]

    def block_cond(self, held):
        r = self.random
        m, flag = self.program.conds[0]
        if any(h[:2] == ("m", m) for h in held):
            return [self.access(held)]
        if r.random() < 0.45:
            loop, timed = r.random() < 0.8, r.random() < 0.25
            after = [("set", flag, 0)] if r.random() < 0.4 else []
            return [("lock", m), ("await", 0, loop, timed), *after, ("unlock", m)]
        wake = (r.choice(("signal", "signal", "broadcast")), 0)
        change = ("set", flag, r.randint(0, 3) and 1)
        late = r.random() < 0.4
        return [("lock", m), change, *([] if late else [wake]), ("unlock", m), *([wake] if late else [])]

    def block_barrier(self, _held):
        return [("barrier", 0)]

    def block_join(self, _held):
        others = [t for t in range(self.count) if t > self.thread and t not in self.program.joined]
        if not others or self.branches:  # main joins the rest, so a join must be certain
            return [("yield",)]
        target = self.random.choice(others)
        self.program.joined.add(target)
        return [("join", target)]

    def block_pipe(self, _held):
        return self.random.choice(([("put", 0, self.random.randint(1, 9))], [("get", 0)]))

    def block_choose(self, _held):
        return [("choose", self.random.randint(2, 3))]


def generate(seed, number):
    return Generator(seed, number).make()
