"""All interleavings of an abstract program, one operation at a time.

Written from POSIX, knowing nothing of heddle: no merged steps, no reduction; a
variable access is a step like any other. States are plain tuples in a set."""

MASK = 0xffffffff


class TooBig(Exception):
    """More states than this run may spend on one program."""


def fold(register, value):
    return (register * 31 + value + 1) & MASK


def flatten(body, code):
    """Appends the tree `body` to the flat list `code`; branches become jump targets."""
    for op in body:
        if op[0] in ("try", "timed", "trywait", "timedwait", "tryrd", "trywr"):
            at = len(code)
            code.append(None)
            flatten(op[2], code)
            jump = len(code)
            code.append(None)
            otherwise = len(code)
            flatten(op[3], code)
            code[at] = (op[0], op[1], otherwise)
            code[jump] = ("jump", len(code))
        elif op[0] == "await":
            at = len(code)
            code += [("unless", op[1], at + 3), ("sleep", op[1], op[3], at if op[2] else at + 3, at + 2),
                     ("mark", 8), ("noteflag", op[1])]
        else:
            code.append(op)
    return code


class Explorer:
    """One exploration. The state is a tuple:
    (pcs, modes, registers, vars, owners, depths, sems, writers, readers, queued, arrived, pipes)
    modes: 0 running, 1 asleep on a condition, 2 woken, 3 timed out, 4 inside a barrier, 5 queued writer."""

    def __init__(self, program, limit, spurious=False):
        self.p, self.limit, self.spurious = program, limit, spurious
        self.code = [flatten(t, []) for t in program.threads]
        self.outcomes, self.deadlock, self.states = set(), False, 0

    def initial(self):
        p, n = self.p, len(self.code)
        return ((0,) * n, (0,) * n, (0,) * n, (0,) * len(p.guard), (-1,) * len(p.mutexes), (0,) * len(p.mutexes),
                tuple(p.sems), (-1,) * len(p.rwlocks), ((),) * len(p.rwlocks), (0,) * len(p.barriers),
                ((),) * p.pipes)

    def run(self):
        start = self.initial()
        seen, stack = {start}, [start]
        while stack:
            state = stack.pop()
            successors = [s for t in range(len(self.code)) for s in self.steps(state, t)]
            if not successors:
                self.end(state)
            elif self.spurious:
                successors += self.spurious_wakeups(state)
            for s in successors:
                if s not in seen:
                    seen.add(s)
                    stack.append(s)
            if len(seen) > self.limit:
                raise TooBig
        self.states = len(seen)
        return self

    def spurious_wakeups(self, state):
        """Waits may return without a signal, but not where nothing else could go on: nobody may rely on it."""
        return [Edit(state, t).wake(t).state() for t, mode in enumerate(state[1]) if mode == 1]

    def end(self, state):
        if not all(self.done(state, t) for t in range(len(self.code))):
            self.deadlock = True
            return
        value = 0
        for x in (*state[2], *state[3]):
            value = (value * 1000003 + x) & MASK
        self.outcomes.add(value)

    def done(self, state, t):
        return state[0][t] == len(self.code[t])

    def steps(self, state, t):
        """The successors by one operation of thread t."""
        if self.done(state, t):
            return []
        op = self.code[t][state[0][t]]
        return getattr(self, "op_" + op[0])(Edit(state, t), op)

    # -- operations: take an Edit, give the list of resulting states -------------

    def op_jump(self, e, op):
        return [e.goto(op[1])]

    def op_mark(self, e, op):
        return [e.fold(op[1]).next()]

    def op_yield(self, e, _op):
        return [e.next()]

    def op_choose(self, e, op):
        return [e.copy().fold(k).next() for k in range(op[1])]

    def op_note(self, e, op):
        return [e.fold(e.vars[op[1]]).next()]

    def op_noteflag(self, e, op):
        return [e.fold(e.vars[self.p.conds[op[1]][1]]).next()]

    def op_set(self, e, op):
        e.vars[op[1]] = op[2]
        return [e.next()]

    def op_add(self, e, op):
        e.vars[op[1]] = (e.vars[op[1]] + op[2]) & MASK
        return [e.next()]

    def op_mul(self, e, op):
        e.vars[op[1]] = (e.vars[op[1]] * 3 + op[2]) & MASK
        return [e.next()]

    def take(self, e, m):
        """Locks mutex m for the thread if that is possible now."""
        mine = e.owners[m] == e.t and self.p.mutexes[m] == "recursive"
        if e.owners[m] != -1 and not mine:
            return False
        e.owners[m] = e.t
        e.depths[m] += 1
        return True

    def release(self, e, m):
        assert e.owners[m] == e.t, "the generator unlocks only what is held"
        e.depths[m] -= 1
        if e.depths[m] == 0:
            e.owners[m] = -1

    def op_lock(self, e, op):
        return [e.next()] if self.take(e, op[1]) else []

    def op_try(self, e, op):
        return [e.next() if self.take(e, op[1]) else e.goto(op[2])]

    op_timed = op_try  # held now: it may stay held until the time is over

    def op_unlock(self, e, op):
        self.release(e, op[1])
        return [e.next()]

    def op_wait(self, e, op):
        if e.sems[op[1]] == 0:
            return []
        e.sems[op[1]] -= 1
        return [e.next()]

    def op_trywait(self, e, op):
        return self.op_wait(e, op) or [e.goto(op[2])]

    op_timedwait = op_trywait

    def op_post(self, e, op):
        e.sems[op[1]] += 1
        return [e.next()]

    def op_getvalue(self, e, op):
        return [e.fold(e.sems[op[1]]).next()]

    def op_rd(self, e, op):
        r = op[1]
        if e.writers[r] != -1 or self.writer_waits(e, r):
            return []
        e.readers[r] = tuple(sorted(e.readers[r] + (e.t,)))
        return [e.next()]

    def writer_waits(self, e, r):
        """Somebody queues for a lock that prefers writers."""
        if self.p.rwlocks[r] != "writer":
            return False
        return any(mode == 5 and self.code[t][e.pcs[t]][1] == r for t, mode in enumerate(e.modes))

    def op_tryrd(self, e, op):
        return self.op_rd(e, op) or [e.goto(op[2])]

    def op_wr(self, e, op):
        r = op[1]
        if e.writers[r] == -1 and not e.readers[r]:
            e.writers[r] = e.t
            e.modes[e.t] = 0
            return [e.next()]
        if e.modes[e.t] != 5:
            e.modes[e.t] = 5
            return [e.state()]
        return []

    def op_trywr(self, e, op):
        r = op[1]
        if e.writers[r] != -1 or e.readers[r]:
            return [e.goto(op[2])]
        e.writers[r] = e.t
        return [e.next()]

    def op_rwunlock(self, e, op):
        r = op[1]
        if e.writers[r] == e.t:
            e.writers[r] = -1
        else:
            left = list(e.readers[r])
            left.remove(e.t)
            e.readers[r] = tuple(left)
        return [e.next()]

    def op_unless(self, e, op):
        return [e.goto(op[2]) if e.vars[self.p.conds[op[1]][1]] else e.next()]

    def op_sleep(self, e, op):
        """Condition wait: fall asleep; asleep: maybe time out; woken: take the mutex again."""
        _, c, timed, woken, timed_out = op
        m = self.p.conds[c][0]
        mode = e.modes[e.t]
        if mode == 0:
            self.release(e, m)
            e.modes[e.t] = 1
            return [e.state()]
        if mode == 1:
            return [e.mode(3).state()] if timed else []
        if not self.take(e, m):
            return []
        e.modes[e.t] = 0
        return [e.goto(woken if mode == 2 else timed_out)]

    def sleepers(self, e, c):
        return [t for t, mode in enumerate(e.modes) if mode == 1 and self.code[t][e.pcs[t]][:2] == ("sleep", c)]

    def op_signal(self, e, op):
        sleepers = self.sleepers(e, op[1])
        if not sleepers:
            return [e.next()]
        return [e.copy().wake(t).next() for t in sleepers]

    def op_broadcast(self, e, op):
        for t in self.sleepers(e, op[1]):
            e.wake(t)
        return [e.next()]

    def op_barrier(self, e, op):
        """The last one to arrive opens the barrier for all who are in it."""
        b = op[1]
        if e.modes[e.t] == 4:
            return []
        e.arrived[b] += 1
        e.modes[e.t] = 4
        if e.arrived[b] < self.p.barriers[b]:
            return [e.state()]
        e.arrived[b] = 0
        for t, mode in enumerate(e.modes):
            if mode == 4 and self.code[t][e.pcs[t]] == op:
                e.modes[t] = 0
                e.pcs[t] += 1
        return [e.state()]

    def op_join(self, e, op):
        return [e.next()] if e.pcs[op[1]] == len(self.code[op[1]]) else []

    def op_put(self, e, op):
        e.pipes[op[1]] += (op[2],)
        return [e.next()]

    def op_get(self, e, op):
        queue = e.pipes[op[1]]
        if not queue:
            return []
        e.pipes[op[1]] = queue[1:]
        return [e.fold(queue[0]).next()]


class Edit:
    """A state being changed by one step of thread t."""

    NAMES = ("pcs", "modes", "registers", "vars", "owners", "depths", "sems", "writers", "readers", "arrived", "pipes")
    __slots__ = ("t", *NAMES)

    def __init__(self, state, t):
        self.t = t
        for name, part in zip(self.NAMES, state):
            setattr(self, name, list(part))

    def state(self):
        return tuple(tuple(getattr(self, name)) for name in self.NAMES)

    def copy(self):
        return Edit(self.state(), self.t)

    def fold(self, value):
        self.registers[self.t] = fold(self.registers[self.t], value)
        return self

    def goto(self, pc):
        self.pcs[self.t] = pc
        return self.state()

    def next(self):
        return self.goto(self.pcs[self.t] + 1)

    def mode(self, mode):
        self.modes[self.t] = mode
        return self

    def wake(self, t):
        self.modes[t] = 2
        return self


def explore(program, limit, spurious=False):
    """Outcomes and deadlock of a program, or None if it is too big."""
    try:
        return Explorer(program, limit, spurious).run()
    except TooBig:
        return None
