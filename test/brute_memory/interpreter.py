"""All interleavings of an abstract program, one memory access at a time.

Sequential consistency and nothing else: memory is a string of bytes, every access and every
operation on a lock is a step of its own. No reduction, no notion of sharing. States are plain tuples
in a dictionary."""

from program import Ordered

MASK = 0xffffffff
WRITER = -1
AREA_BYTES = 8
JUMPS = {"jump", "mark"}
RMW = {
    "exchange": lambda old, k: k, "fetch_add": lambda old, k: old + k, "fetch_sub": lambda old, k: old - k,
    "fetch_or": lambda old, k: old | k, "fetch_and": lambda old, k: old & k, "fetch_xor": lambda old, k: old ^ k,
}


class TooBig(Exception):
    """More states than this run may spend on one program."""


class Unwanted(Exception):
    """The program has what it should not have."""


def fold(register, value):
    return (register * 31 + value + 1) & MASK


def where(place):
    area, offset, size = place
    return area * AREA_BYTES + offset, size


def flatten(body, code):
    """Appends the tree `body` to the flat list `code`; branches become jump targets, loops are unrolled."""
    for op in body:
        if op[0] in ("if", "cas", "try"):
            at = len(code)
            code.append(None)
            flatten(op[-2], code)
            jump = len(code)
            code.append(None)
            first = (op[1],) if op[0] == "try" else (*where(op[1]), op[2], op[3])
            code[at] = (op[0], *first, len(code))
            flatten(op[-1], code)
            code[jump] = ("jump", len(code))
        elif op[0] == "meet":
            code += [("arrive", *op[1:]), ("go", *op[1:])]
        elif op[0] == "loop":
            for _ in range(op[1]):
                flatten(op[2], code)
        elif op[0] == "move":
            _, source, source_mode, target, target_mode, k = op
            code += [("take", *where(source), source_mode), ("put", *where(target), target_mode, k)]
        elif op[0] == "casloop":
            code += [("take", *where(op[1]), Ordered("atomic", "RELAXED")), ("swap", *where(op[1]), op[2])]
        elif op[0] in ("load", "store", "rmw", "until", "grab"):
            code.append((op[0], *where(op[1]), *op[2:]))
        else:
            code.append(op)
    return code


def access_of(op):
    """(first byte, end, writes, mode) of an instruction that is a memory access, else None.
    A compare-and-swap counts as a write even if it will fail: that is not known before."""
    kind = op[0]
    if kind in ("rmw", "cas", "swap", "grab"):
        return op[1], op[1] + op[2], True, "atomic"
    if kind in ("load", "take", "if", "until"):
        return op[1], op[1] + op[2], False, op[3]
    if kind in ("store", "put"):
        return op[1], op[1] + op[2], True, op[3]
    return None


def conflict(a, b):
    """Overlapping accesses, one of them a write, and not both atomic nor both volatile."""
    return a[0] < b[1] and b[0] < a[1] and (a[2] or b[2]) and (a[3] != b[3] or a[3] == "plain")


class Explorer:
    """One exploration. The state is a tuple:
    (pcs, values in hand, registers, memory, owners of mutexes, semaphores, writer or number of readers of each rwlock,
    arrivals at each barrier); pc -1: not created yet."""

    def __init__(self, program, limit, without=()):
        self.p, self.limit, self.without = program, limit, without
        self.code = [flatten(t, []) for t in program.threads]
        self.accesses = [[access_of(op) for op in code] + [None] for code in self.code]
        self.outcomes, self.deadlock, self.race, self.livelock, self.states = set(), False, False, False, 0

    def initial(self):
        p, n = self.p, len(self.code)
        e = Edit(((-1,) * n, (0,) * n, (0,) * n, bytes(AREA_BYTES * len(p.areas)), (-1,) * p.mutexes, tuple(p.sems),
                  (0,) * p.rwlocks, (0,) * len(p.barriers)), 0)
        return self.goto(e, 0)

    def run(self):
        start = self.initial()
        before, stack, ends = {start: []}, [start], []
        while stack:
            state = stack.pop()
            self.race = self.race or self.races(state)
            successors = [s for t in range(len(self.code)) for s in self.steps(state, t)]
            if not successors:
                ends.append(state)
                self.end(state)
            if any(getattr(self, unwanted) for unwanted in self.without):
                raise Unwanted
            for s in successors:
                if s not in before:
                    before[s] = []
                    stack.append(s)
                before[s].append(state)
            if len(before) > self.limit:
                raise TooBig
        self.states = len(before)
        self.livelock = self.states > count_reaching(ends, before)
        return self

    def races(self, state):
        """Two threads are each about to make one of two conflicting accesses."""
        ready = [a for t, pc in enumerate(state[0]) if pc >= 0 and (a := self.accesses[t][pc])]
        return any(conflict(a, b) for i, a in enumerate(ready) for b in ready[:i])

    def end(self, state):
        if not all(self.done(state[0], t) for t in range(len(self.code))):
            self.deadlock = True
            return
        value = 0
        words = [int.from_bytes(state[3][i:i + 4], "little") for i in range(0, len(state[3]), 4)]
        for x in (*state[2], *words):
            value = (value * 1000003 + x) & MASK
        self.outcomes.add(value)

    def done(self, pcs, t):
        return pcs[t] == len(self.code[t])

    def steps(self, state, t):
        """The successors by one operation of thread t: one, or none if it must wait."""
        if state[0][t] < 0 or self.done(state[0], t):
            return []
        op = self.code[t][state[0][t]]
        e = Edit(state, t)
        to = getattr(self, "op_" + op[0])(e, *op[1:])
        return [] if to is None else [self.goto(e, to)]

    def goto(self, e, pc):
        """The state after the step; what is neither an access nor an operation on an object takes no time."""
        code = self.code[e.t]
        while pc < len(code) and code[pc][0] in JUMPS:
            if code[pc][0] == "mark":
                e.fold(code[pc][1])
            pc = code[pc][1] if code[pc][0] == "jump" else pc + 1
        e.pcs[e.t] = pc
        return e.state()

    # -- operations: change an Edit, give the next pc; None: the thread must wait --

    def op_load(self, e, at, size, _mode):
        e.fold(e.read(at, size))
        return e.next()

    def op_store(self, e, at, size, _mode, k):
        e.write(at, size, k)
        return e.next()

    def op_take(self, e, at, size, _mode):
        e.hand(e.read(at, size))
        return e.next()

    def op_put(self, e, at, size, _mode, k):
        e.write(at, size, e.in_hand() + k)
        e.hand(0)
        return e.next()

    def op_rmw(self, e, at, size, name, k):
        old = e.read(at, size)
        e.write(at, size, RMW[name](old, k))
        e.fold(old)
        return e.next()

    def op_cas(self, e, at, size, expected, new, otherwise):
        old = e.read(at, size)
        if old == expected:
            e.write(at, size, new)
            return e.next()
        e.fold(old)
        return otherwise

    def op_swap(self, e, at, size, k):
        """The compare-and-swap of a casloop: on failure it has read the value for the next try."""
        old = e.read(at, size)
        if old != e.in_hand():
            e.hand(old)
            return e.here()
        e.write(at, size, old + k)
        e.hand(0)
        return e.next()

    def op_if(self, e, at, size, _mode, k, otherwise):
        return e.next() if e.read(at, size) == k else otherwise

    def op_until(self, e, at, size, _mode, k):
        return e.next() if e.read(at, size) == k else e.here()

    def op_grab(self, e, at, size):
        old = e.read(at, size)
        e.write(at, size, 1)
        return e.here() if old else e.next()

    def op_lock(self, e, m):
        if e.owners[m] != -1:
            return None
        e.owners[m] = e.t
        return e.next()

    def op_unlock(self, e, m):
        assert e.owners[m] == e.t, "the generator unlocks only what is held"
        e.owners[m] = -1
        return e.next()

    def op_try(self, e, m, otherwise):
        if e.owners[m] != -1:
            return otherwise
        e.owners[m] = e.t
        return e.next()

    def op_read(self, e, lock):
        if e.rwlocks[lock] == WRITER:
            return None
        e.rwlocks[lock] += 1
        return e.next()

    def op_write(self, e, lock):
        if e.rwlocks[lock] != 0:
            return None
        e.rwlocks[lock] = WRITER
        return e.next()

    def op_leave(self, e, lock):
        e.rwlocks[lock] = 0 if e.rwlocks[lock] == WRITER else e.rwlocks[lock] - 1
        return e.next()

    def op_arrive(self, e, b, _n, _k):
        e.barriers[b] += 1
        return e.next()

    def op_go(self, e, b, n, k):
        return e.next() if e.barriers[b] >= n * k else None

    def op_done(self, e, s):
        return self.op_post(e, s)

    def op_detach(self, e, _t):
        return e.next()

    def op_wait(self, e, s):
        if e.sems[s] == 0:
            return None
        e.sems[s] -= 1
        return e.next()

    def op_post(self, e, s):
        e.sems[s] += 1
        return e.next()

    def op_create(self, e, t):
        other = Edit(e.state(), t)
        self.goto(other, 0)
        e.pcs[t], e.registers[t] = other.pcs[t], other.registers[t]
        return e.next()

    def op_join(self, e, t):
        return e.next() if self.done(e.pcs, t) else None


def count_reaching(ends, before):
    """How many states have a way to an end."""
    seen, stack = set(ends), list(ends)
    while stack:
        for s in before[stack.pop()]:
            if s not in seen:
                seen.add(s)
                stack.append(s)
    return len(seen)


class Edit:
    """A state being changed by one step of thread t."""

    __slots__ = ("t", "pcs", "hands", "registers", "memory", "owners", "sems", "rwlocks", "barriers")

    def __init__(self, state, t):
        self.t = t
        self.pcs, self.hands, self.registers = map(list, state[:3])
        self.memory = state[3]
        self.owners, self.sems, self.rwlocks, self.barriers = map(list, state[4:])

    def state(self):
        return (tuple(self.pcs), tuple(self.hands), tuple(self.registers), self.memory, tuple(self.owners),
                tuple(self.sems), tuple(self.rwlocks), tuple(self.barriers))

    def here(self):
        return self.pcs[self.t]

    def next(self):
        return self.pcs[self.t] + 1

    def read(self, at, size):
        return int.from_bytes(self.memory[at:at + size], "little")

    def write(self, at, size, value):
        raw = (value % (1 << 8 * size)).to_bytes(size, "little")
        self.memory = self.memory[:at] + raw + self.memory[at + size:]

    def fold(self, value):
        self.registers[self.t] = fold(self.registers[self.t], value)

    def hand(self, value):
        self.hands[self.t] = value

    def in_hand(self):
        return self.hands[self.t]


def explore(program, limit, without=()):
    """What a program can do; None: it is too big, or has something that is not wanted ("race", "deadlock")."""
    try:
        return Explorer(program, limit, without).run()
    except (TooBig, Unwanted):
        return None
