"""Programs with a known abstract model, and the exact counts of that model.

A model's step is heddle's: a thread goes from one acquiring operation to the next;
releasing operations belong to the step that reaches them. A program that has
malloc and printf in it must still have exactly the model's states and transitions.

Main creates all threads, joins them in order, and ends with a step of its own."""

import pathlib

HERE = pathlib.Path(__file__).resolve().parent
GUESTS = HERE.parent / "guest"


def count(initial, successors):
    """States and transitions reachable from `initial`."""
    seen, stack, transitions = {initial}, [initial], 0
    while stack:
        for after in successors(stack.pop()):
            transitions += 1
            if after not in seen:
                seen.add(after)
                stack.append(after)
    return len(seen), transitions


def with_main(threads, ended, thread_steps):
    """Successors of (main, pcs, shared): main joins thread 0, 1, … and then the process ends."""
    def successors(state):
        main, pcs, shared = state
        if main < threads and pcs[main] == ended:
            yield (main + 1, pcs, shared)
        elif main == threads:
            yield (main + 1, pcs, shared)
        for t in range(threads):
            for pc, after in thread_steps(t, pcs, shared):
                yield (main, pcs[:t] + (pc,) + pcs[t + 1:], after)
    return successors


def philosophers(n):
    """0 not started, 1 hungry, 2 has the first fork, 3 done. The lower fork is taken first."""
    forks = [sorted((i, (i + 1) % n)) for i in range(n)]

    def steps(t, pcs, shared):
        held = {forks[i][0] for i in range(n) if pcs[i] == 2}
        if pcs[t] == 0 or (pcs[t] == 1 and forks[t][0] not in held) or (pcs[t] == 2 and forks[t][1] not in held):
            yield pcs[t] + 1, shared
    return count((0, (0,) * n, ()), with_main(n, 3, steps))


def buffer(threads, items, slots):
    """Half of the threads put `items` each, half take as many. A thread is at
    ("start",), ("lock", done), ("asleep", done), ("relock", done) or "end"; shared = items in the buffer.
    Waiting and signalling happen under the lock; broadcast wakes everybody."""
    def section(t, done, shared):
        """Inside the lock: where the thread goes and what becomes of the buffer; None: it must wait."""
        producer = t % 2 == 0
        if shared == (slots if producer else 0):
            return ("asleep", done), shared, False
        pc = "end" if done + 1 == items else ("lock", done + 1)
        return pc, shared + (1 if producer else -1), True

    def successors(state):
        main, pcs, shared = state
        if main == threads or pcs[main] == "end":
            if main <= threads:
                yield (main + 1, pcs, shared)
        for t in range(threads):
            if pcs[t] == ("start",):
                yield (main, pcs[:t] + (("lock", 0),) + pcs[t + 1:], shared)
            elif pcs[t] != "end" and pcs[t][0] in ("lock", "relock"):
                pc, after, wakes = section(t, pcs[t][1], shared)
                moved = pcs[:t] + (pc,) + pcs[t + 1:]
                if wakes:
                    moved = tuple(("relock", q[1]) if q[0] == "asleep" else q for q in moved)
                yield (main, moved, after)

    def guarded(state):
        return successors(state) if state[0] <= threads else ()
    return count((0, (("start",),) * threads, 0), guarded)


def readers_writers(readers, writers, rounds):
    """Readers hold the rwlock over a step (they yield inside), writers don't.
    pc: 0 not started, then per round 2k+1 wants the lock, 2k+2 is inside (readers only)."""
    threads = readers + writers
    last = 2 * rounds + 1

    def steps(t, pcs, shared):
        inside = any(pcs[r] % 2 == 0 and 0 < pcs[r] < last for r in range(readers))
        if pcs[t] == last:
            return
        if pcs[t] == 0:
            yield 1, shared
        elif t < readers:
            yield pcs[t] + 1, shared
        elif not inside:
            yield pcs[t] + 2, shared + 1
    return count((0, (0,) * threads, 0), with_main(threads, last, steps))


CASES = [
    *((f"model philosophers {n}", GUESTS / "philosophers.c", [str(n)], lambda n=n: philosophers(n)) for n in (2, 4, 6)),
    *((f"model buffer {t} {i} {s}", HERE / "model_buffer.c", [str(t), str(i), str(s)], lambda t=t, i=i, s=s: buffer(t, i, s))
      for t, i, s in ((2, 1, 1), (2, 3, 1), (2, 3, 2), (4, 2, 1))),
    *((f"model readers {r} writers {w} rounds {k}", HERE / "model_readers.c", [str(r), str(w), str(k)],
       lambda r=r, w=w, k=k: readers_writers(r, w, k)) for r, w, k in ((1, 1, 1), (2, 1, 2), (2, 2, 1))),
]
