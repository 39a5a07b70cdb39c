"""Small random programs that meet in memory, as abstract trees.

Memory is a row of areas of eight bytes (global, on the heap, or on main's stack). A place
is (area, offset, size); places of one area may be neighbours or overlap. An access has a
mode: plain, volatile or atomic. Thread 0 is main, which creates and joins the others.
Operations are tuples:

    load p mode | store p mode k                 a value read is folded into the register
    move p mode q mode k                         q = p + k: a read, then a write
    rmw p name k | cas p old new then else       one atomic access each
    casloop p k                                  p += k by compare-and-swap, until it works
    if p mode k then else | until p mode k       until: spin while p is not k
    grab p                                       spin until exchange(p, 1) gives 0
    loop n body | mark k
    lock m | unlock m | wait s | post s | create t | join t

Nothing keeps accesses apart but what the program itself does: some variables have
a guard (a mutex or a spinning lock), which is now and then forgotten or mistaken."""

import collections
import random

AREA_BYTES = 8
RMW = ("exchange", "fetch_add", "fetch_sub", "fetch_or", "fetch_and", "fetch_xor")
KINDS = ("guarded", "guarded", "plain", "atomic", "atomic", "volatile", "mixed", "packed")
HABITS = ("careful",) * 5 + ("forgetful",) * 2 + ("mistaken",) * 2  # with guards: takes them, or none, or another mutex
WHERE = ("global", "global", "heap", "heap", "stack")

Place = collections.namedtuple("Place", "area offset size")
Variable = collections.namedtuple("Variable", "place modes guard")


class Ordered(str):
    """The mode of an atomic access, or the name of an operation, with its memory order."""

    def __new__(cls, text, order):
        self = super().__new__(cls, text)
        self.order = order
        return self

    def __getnewargs__(self):  # to come back from another process
        return str(self), self.order


ORDERS = {
    "load": ("SEQ_CST", "ACQUIRE", "RELAXED", "CONSUME"), "store": ("SEQ_CST", "RELEASE", "RELAXED"),
    "rmw": ("SEQ_CST", "ACQ_REL", "RELAXED", "ACQUIRE", "RELEASE"),
}
STRONG = {"load": "ACQUIRE", "store": "RELEASE", "rmw": "ACQ_REL"}


class Program:
    def __init__(self, name):
        self.name = name
        self.areas = []        # where each lies
        self.mutexes = 0
        self.sems = []         # initial value
        self.rwlocks = 0
        self.barriers = []     # for how many threads
        self.threads = []      # list of operations each; [0] is main's


class Generator:
    def __init__(self, seed, number):
        self.random = random.Random(f"memory {seed}/{number}")
        self.program = Program(f"p{number}")
        self.variables = []
        self.locks = []        # places of spinning locks

    def make(self, risky):
        r, p = self.random, self.program
        count = r.choice((2, 2, 3))
        self.habit = r.choice(HABITS)
        p.mutexes = 2 if self.habit == "mistaken" else r.choice((0, 1, 1, 2))
        p.sems = [r.choice((0, 1, 1)) for _ in range(r.choice((0, 0, 1, 1)))]
        if r.random() < 0.2:
            self.locks.append(self.place(4))
        for _ in range(r.choice((1, 2, 2, 3))):
            getattr(self, "make_" + ("guarded" if self.habit == "mistaken" else r.choice(KINDS)))()
        bodies = [[self.block([]) for _ in range(r.randint(2, 5 if count == 2 else 3))] for _ in range(count)]
        if risky:
            self.cross(bodies)
        elif r.random() < 0.45:
            self.hand_over(bodies)
        self.threads(bodies)
        return p

    # -- objects -----------------------------------------------------------------

    def place(self, size, offset=0):
        self.program.areas.append(self.random.choice(WHERE))
        return Place(len(self.program.areas) - 1, offset, size)

    def add(self, place, modes, guard=None):
        self.variables.append(Variable(place, modes, guard))
        return self.variables[-1]

    def make_plain(self):
        self.add(self.place(4), ("plain",))

    def make_guarded(self):
        guards = [("mutex", m) for m in range(self.program.mutexes)] + [("spin", place) for place in self.locks]
        self.add(self.place(4), ("plain",), self.random.choice(guards or [None]))

    def make_atomic(self):
        self.add(self.place(self.random.choice((4, 4, 4, 1, 2, 8))), ("atomic",))

    def make_volatile(self):
        self.add(self.place(4), ("volatile",))

    def make_mixed(self):
        self.add(self.place(4), self.random.choice((("plain", "atomic"), ("plain", "volatile"), ("atomic", "volatile"))))

    def make_packed(self):
        """Neighbours in one area, sometimes with a wider one across them."""
        r = self.random
        area = self.place(1).area
        size = r.choice((1, 1, 2, 4))
        for i in r.sample(range(min(4, AREA_BYTES // size)), 2):
            self.add(Place(area, i * size, size), (r.choice(("plain", "plain", "atomic", "volatile")),))
        if r.random() < 0.4:
            self.add(Place(area, 0, r.choice((2, 4, 8))), (r.choice(("plain", "atomic")),))

    # -- operations --------------------------------------------------------------

    def number(self):
        return self.random.choice((0, 1, 1, 2))

    def access(self, v):
        """One operation on a variable, as it stands."""
        r = self.random
        place, mode = v.place, r.choice(v.modes)
        kind = r.choice(("load", "load", "store", "store", "add", "move"))
        if mode == "atomic" and r.random() < 0.5:
            kind = r.choice(("rmw", "rmw", "cas", "casloop"))
        if kind == "add":
            return ("move", place, mode, place, mode, r.randint(1, 2))
        if kind == "move":
            other = r.choice([w for w in self.variables if w.guard == v.guard])
            return ("move", other.place, r.choice(other.modes), place, mode, r.randint(0, 1))
        if kind == "rmw":
            return ("rmw", place, r.choice(RMW), r.randint(1, 3))
        if kind == "casloop":
            return ("casloop", place, r.randint(1, 2))
        if kind == "cas":
            return ("cas", place, self.number(), r.randint(1, 2), self.leaf(), self.leaf())
        return ("load", place, mode) if kind == "load" else ("store", place, mode, self.number())

    def leaf(self):
        """What stands in a branch: an access that needs no guard, a post, or only a mark."""
        free = [v for v in self.variables if not v.guard]
        if self.program.sems and self.random.random() < 0.3:
            return [("post", self.random.randrange(len(self.program.sems)))]
        if not free or self.random.random() < 0.5:
            return [("mark", self.random.randint(1, 9))]
        v = self.random.choice(free)
        return [("store", v.place, self.random.choice(v.modes), self.number())]

    def guarded(self, guard, held, body):
        if self.habit != "careful" and self.random.random() < 0.4:
            guard = ("mutex", self.random.randrange(2)) if self.habit == "mistaken" else None
        if guard is None or guard in held:
            return body
        kind, which = guard
        if kind == "mutex":
            return [("lock", which), *body, ("unlock", which)]
        return [("grab", which), *body, ("store", which, "atomic", 0)]

    def block(self, held):
        r, p = self.random, self.program
        kind = r.choice(("access", "access", "access", "access", "if", "loop", "nested", "sem"))
        if kind == "sem" and p.sems:
            return [(r.choice(("wait", "post", "post")), r.randrange(len(p.sems)))]
        v = r.choice(self.variables)
        inside = held + [v.guard] if v.guard else held
        if kind == "if":
            body = [("if", v.place, r.choice(v.modes), self.number(), self.leaf(), self.leaf())]
        elif kind == "loop":
            body = [("loop", 2, [self.access(v)])]
        elif kind == "nested" and len(held) < 2:
            body = [self.access(v), *self.block(inside)]
        else:
            body = [self.access(v) for _ in range(r.choice((1, 1, 2)) if v.guard else 1)]
        return self.guarded(v.guard, held, body) if v.guard else body

    # -- how threads meet --------------------------------------------------------

    def cross(self, bodies):
        """Two threads take two objects, one inside the other, in any order."""
        r, p = self.random, self.program
        p.mutexes = 2
        p.sems.append(1)
        take = [[("lock", 0)], [("lock", 1)], [("wait", len(p.sems) - 1)]]
        give = [[("unlock", 0)], [("unlock", 1)], [("post", len(p.sems) - 1)]]
        pair = r.sample(range(3), 2)
        for body in r.sample(bodies, 2):
            a, b = r.sample(pair, 2)
            middle = self.block([("mutex", 0), ("mutex", 1)]) if r.random() < 0.5 else []
            inside = take[a] + middle + take[b] + give[a] + give[b]
            v = r.choice(self.variables)
            condition = [("if", v.place, r.choice(v.modes), self.number(), inside, [])] if not v.guard else inside
            body.insert(r.randint(0, len(body)), r.choice((inside, condition)))

    def hand_over(self, bodies):
        """One thread tells another that it has come to some point, by a flag or a semaphore."""
        r = self.random
        giver, taker = r.sample(range(len(bodies)), 2)
        if r.random() < 0.3:
            self.program.sems.append(0)
            give, take = [("post", len(self.program.sems) - 1)], [("wait", len(self.program.sems) - 1)]
        else:
            mode = r.choice(("atomic", "atomic", "volatile"))  # a loop on a plain one may never end, as compilers see it
            flag = self.place(4)
            give, take = [("store", flag, mode, 1)], [("until", flag, mode, 1)]
        bodies[giver].insert(r.randint(0, len(bodies[giver])), give)
        bodies[taker].insert(r.randint(0, len(bodies[taker])), take)

    def threads(self, bodies):
        """Main creates the threads in order, works a little in between, and joins those that nobody else joins."""
        r, p = self.random, self.program
        main, joined = [], set()
        for t in range(1, len(bodies) + 1):
            main += self.main_block(0.25) + [("create", t)]
            older = [u for u in range(1, t) if u not in joined]
            if older and r.random() < 0.2:
                target = r.choice(older)
                joined.add(target)
                bodies[t - 1].insert(r.randint(0, len(bodies[t - 1])), [("join", target)])
        main += self.main_block(0.25)
        for t in range(1, len(bodies) + 1):
            main += [("join", t)] * (t not in joined)
            main += self.main_block(0.15)
        p.threads = [main, *([op for block in body for op in block] for body in bodies)]

    def main_block(self, chance):
        return self.block([]) if self.random.random() < chance else []


def with_orders(body, order):
    """The same operations; `order` says which memory order an atomic of this kind has."""
    def ordered(mode, kind):
        return Ordered(mode, order(kind)) if mode == "atomic" else mode

    def one(op):
        if op[0] in ("load", "until"):
            return (op[0], op[1], ordered(op[2], "load"), *op[3:])
        if op[0] == "if":
            return ("if", op[1], ordered(op[2], "load"), op[3], with_orders(op[4], order), with_orders(op[5], order))
        if op[0] == "cas":
            return (*op[:4], with_orders(op[4], order), with_orders(op[5], order))
        if op[0] == "store":
            return ("store", op[1], ordered(op[2], "store"), op[3])
        if op[0] == "move":
            return ("move", op[1], ordered(op[2], "load"), op[3], ordered(op[4], "store"), op[5])
        if op[0] == "rmw":
            return ("rmw", op[1], Ordered(op[2], order("rmw")), op[3])
        if op[0] == "loop":
            return ("loop", op[1], with_orders(op[2], order))
        return op
    return [one(op) for op in body]


def generate(seed, number, risky=False):
    """risky: likely to have a deadlock"""
    p = Generator(seed, number).make(risky)
    luck = random.Random(f"orders {seed}/{number}")
    weak = luck.choice((0, 0.2, 0.6))  # how often any order at all is taken, in place of one that synchronises
    p.threads = [with_orders(body, lambda kind: luck.choice(ORDERS[kind]) if luck.random() < weak else STRONG[kind])
                 for body in p.threads]
    return p
