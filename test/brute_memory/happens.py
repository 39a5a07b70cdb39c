"""Races with the memory orders as written: happens-before over all interleavings of an abstract program.

Values are sequentially consistent, as in interpreter.py; beside the state each thread, lock, semaphore and byte of
memory has the set of accesses that happen before what it does next (or that who synchronises with it learns of).
An access is (thread, instruction): loops are unrolled, and those that spin only touch atomics and volatiles. Sets
are kept whole, nothing is dropped, nothing is merged: slow, and simple enough to be believed."""

import interpreter

SYNCHRONISES = {"volatile"}
ACQUIRES = {"CONSUME", "ACQUIRE", "ACQ_REL", "SEQ_CST"}
RELEASES = {"RELEASE", "ACQ_REL", "SEQ_CST"}
EMPTY = frozenset()


class Explorer(interpreter.Explorer):
    """A state is (that of the interpreter, knowledge of threads, of mutexes, semaphores and bytes: a tuple of pairs,
    accesses made)."""

    def run(self):
        start = (self.initial(), (EMPTY,) * len(self.code), (), EMPTY)
        seen, stack = {start}, [start]
        while stack and not self.race:
            state = stack.pop()
            for t in range(len(self.code)):
                for after in self.steps(state[0], t):
                    new = self.follow(state, t, after)
                    if new not in seen:
                        seen.add(new)
                        stack.append(new)
            if len(seen) > self.limit:
                raise interpreter.TooBig
        return self

    def order(self, op):
        """(mode, memory order) of an instruction that is an access."""
        if op[0] == "grab":
            return "atomic", "ACQUIRE"
        if op[0] in ("cas", "swap"):
            return "atomic", "SEQ_CST"
        what = op[3]
        if op[0] == "rmw":
            return "atomic", what.order
        return what, "SEQ_CST" if what in SYNCHRONISES else getattr(what, "order", None)

    def follow(self, state, t, after):
        """The step of thread t that led to `after` makes, learns and teaches what it does."""
        before, know, carried, made = state
        know, carried = list(know), dict(carried)
        pc = before[0][t]
        op, access = self.code[t][pc], self.accesses[t][pc]
        if access:
            made = self.access(know, carried, made, (t, pc), op, access, before, after)
        elif op[0] in ("lock", "wait"):
            know[t] |= carried.get((op[0], op[1]), EMPTY)
        elif op[0] == "try" and after[4][op[1]] == t:
            know[t] |= carried.get(("lock", op[1]), EMPTY)
        elif op[0] in ("unlock", "post", "done"):
            key = ("lock" if op[0] == "unlock" else "wait", op[1])
            carried[key] = carried.get(key, EMPTY) | know[t]
        elif op[0] in ("read", "write"):
            know[t] |= carried.get(("write", op[1]), EMPTY)
            know[t] |= carried.get(("read", op[1]), EMPTY) if op[0] == "write" else EMPTY
        elif op[0] == "leave":
            key = ("write" if before[6][op[1]] == interpreter.WRITER else "read", op[1])
            carried[key] = carried.get(key, EMPTY) | know[t]
        elif op[0] in ("arrive", "go"):
            key = ("barrier", *op[1:])
            carried[key] = carried.get(key, EMPTY) | (know[t] if op[0] == "arrive" else EMPTY)
            know[t] |= carried[key] if op[0] == "go" else EMPTY
        elif op[0] == "create":
            know[op[1]] |= know[t]
        elif op[0] == "join":
            know[t] |= know[op[1]]
        return after, tuple(know), tuple(sorted(carried.items(), key=repr)), made

    def access(self, know, carried, made, me, op, access, before, after):
        t = me[0]
        for other in made:
            if other[0] != t and interpreter.conflict(access, self.accesses[other[0]][other[1]]) and other not in know[t]:
                self.race = True
        know[t] |= {me}
        mode, order = self.order(op)
        if mode != "plain":
            self.synchronise(know, carried, t, op, access, order, before, after)
        return made | {me}

    def synchronise(self, know, carried, t, op, access, order, before, after):
        places = range(access[0], access[1])
        wrote = access[2]
        if op[0] in ("cas", "swap"):  # a failed one is a load
            wrote = before[3] != after[3] or self.succeeded(op, before, t)
        reads = op[0] in ("rmw", "cas", "swap", "grab") or not access[2]
        if reads and order in ACQUIRES:
            for p in places:
                know[t] |= carried.get(p, EMPTY)
        if not wrote:
            return
        for p in places:
            kept = carried.get(p, EMPTY) if reads else carried.get(p, EMPTY) & know[t] if order not in RELEASES else EMPTY
            carried[p] = kept | know[t] if order in RELEASES else kept

    def succeeded(self, op, before, t):
        at, size = op[1], op[2]
        value = int.from_bytes(before[3][at:at + size], "little")
        return value == (op[3] if op[0] == "cas" else before[1][t])


def races(program, limit):
    """Can a race be reached, with the memory orders as written? None: too big to say."""
    try:
        return Explorer(program, limit).run().race
    except interpreter.TooBig:
        return None
