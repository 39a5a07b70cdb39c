"""
Explicit-state enumeration of small abstract programs, at heddle's granularity:
the yardstick for heddle's counts. It shares no code and no data with heddle.

A transition executes one thread's pending operation and everything up to its next
one. Pending operations are: the start of a thread, locking a mutex, waking from a
condition variable (with the mutex, as one step), joining a thread, a call on a socket, and a signal
that two or more threads wait for (one outcome per waiter). Unlocking, broadcasting and
signals with at most one waiter belong to the transition that reaches them.

A program is written in continuations: each function gets the world, the thread's number
and its live locals, runs up to the next operation, and returns it as a tuple made by
lock(), wait(), join(), call() or DONE. World state = `World.shared` (a tuple) + mutex owners + pending operations.
"""

DONE = ("done",)


def start(then, *live):
    return ("start", None, then, live)


def lock(mutex, then, *live):
    return ("lock", mutex, then, live)


def join(thread, then, *live):
    return ("join", thread, then, live)


def call(ready, then, *live):
    """Waits until ready(world, *live)."""
    return ("call", ready, then, live)


class World:
    """One state, open for change while a transition runs."""

    def __init__(self, shared, owners, threads):
        self.shared = shared          # whatever the program keeps in memory: hashable
        self.owners = list(owners)    # per mutex: thread or None
        self.threads = list(threads)  # per thread: its pending operation

    def frozen(self):
        return (self.shared, tuple(self.owners), tuple(self.threads))

    def unlock(self, mutex):
        self.owners[mutex] = None

    def wait(self, cond, mutex, then, *live):
        self.unlock(mutex)
        return ("wait", (cond, mutex), then, live)

    def waiters(self, cond):
        return [t for t, op in enumerate(self.threads) if op[0] == "wait" and op[1][0] == cond]

    def wake(self, thread):
        _, (_, mutex), then, live = self.threads[thread]
        self.threads[thread] = ("wake", mutex, then, live)

    def broadcast(self, cond):
        for thread in self.waiters(cond):
            self.wake(thread)

    def signal(self, me, cond, then, *live):
        """Unlike the rest this may be a step: the code after it is a continuation."""
        waiters = self.waiters(cond)
        if len(waiters) >= 2:
            return ("signal", cond, then, live)
        for thread in waiters:
            self.wake(thread)
        return then(self, me, *live)


def outcomes(world, op):
    """How many outcomes a pending operation has now; 0: it waits."""
    kind, thing = op[0], op[1] if len(op) > 1 else None
    if kind in ("lock", "wake"):
        return 1 if world.owners[thing] is None else 0
    if kind == "join":
        return 1 if world.threads[thing] == DONE else 0
    if kind == "signal":
        return len(world.waiters(thing))
    if kind == "call":
        return 1 if thing(world, *op[3]) else 0
    return 1 if kind == "start" else 0


def step(state, me, outcome):
    world = World(*state)
    kind, thing, then, live = world.threads[me]
    if kind in ("lock", "wake"):
        world.owners[thing] = me
    elif kind == "signal":
        world.wake(world.waiters(thing)[outcome])
    # A thread that runs is nobody's waiter and not done.
    world.threads[me] = ("running",)
    world.threads[me] = then(world, me, *live)
    return world.frozen()


def successors(state):
    world = World(*state)
    for me, op in enumerate(world.threads):
        for outcome in range(outcomes(world, op)):
            yield step(state, me, outcome)


def count(shared, mutexes, main, threads):
    """
    Returns (states, transitions, end states, deadlocks). Thread 0 is main: its start
    creates all others, which are given as pending operations.
    """

    def create_all(world, me):
        world.threads[1:] = threads
        return main(world, me)

    initial = World(shared, [None] * mutexes, [start(create_all)]).frozen()
    seen, frontier = {initial}, [initial]
    transitions = ends = deadlocks = 0
    while frontier:
        state = frontier.pop()
        moved = False
        for successor in successors(state):
            moved = True
            transitions += 1
            if successor not in seen:
                seen.add(successor)
                frontier.append(successor)
        if not moved:
            if all(op == DONE for op in state[2]):
                ends += 1
            else:
                deadlocks += 1
    return len(seen), transitions, ends, deadlocks


def join_all(world, me, thread=1):
    """The usual rest of main: join thread 1, 2, …, then end."""
    if thread == len(world.threads):
        return DONE
    return join(thread, join_all, thread + 1)
