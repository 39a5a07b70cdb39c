"""
States, transitions, end states and deadlocks of programs in examples/net, against their usual peers:

    network.py daytime|alphabet-client|alphabet-server|chat ARGS…

A peer has answered all it will before the next step. World.shared holds what of the sockets is state: descriptors in use,
and what was said on each connection.
"""

import itertools
import sys

from interleave import DONE, call, count, join, lock, start


def always(world, *live):
    return True


def replaced(values, i, value):
    return values[:i] + (value,) + values[i + 1:]


def lowest_free(used):
    return next(fd for fd in range(len(used) + 1) if fd not in used)


def join_then(then):
    """Main joins thread 1, 2, …, and goes on. To be made once: a state knows its continuations by identity."""
    def joined(world, me, thread=1):
        return then(world, me) if thread == len(world.threads) else join(thread, joined, thread + 1)
    return joined


def end(world, me):
    return DONE


def daytime(threads):
    """Each thread: socket, connect, read, close. Descriptors are shared: who closes first makes room for others."""
    def ask(world, me):
        return call(always, made)

    def made(world, me):
        fd = lowest_free(world.shared)
        world.shared = world.shared | {fd}
        return call(always, connected, fd)

    def connected(world, me, fd):
        return call(always, has_read, fd)

    def has_read(world, me, fd):
        return call(always, closed, fd)

    def closed(world, me, fd):
        world.shared = world.shared - {fd}
        return DONE

    return count(frozenset(), 0, join_then(end), [start(ask)] * threads)


def alphabet_client(connections, messages):
    """Shared: how many halves of requests were written on each connection."""
    def connect(world, me, left=connections):
        if left:
            return call(always, connect, left - 1)
        for i in range(connections):
            world.threads += [start(produce, i, 0), start(consume, i, 0)]
        return rest(world, me)

    def produce(world, me, i, halves):
        return call(always, wrote, i, halves) if halves < 2 * messages else DONE

    def wrote(world, me, i, halves):
        world.shared = replaced(world.shared, i, halves + 1)
        return produce(world, me, i, halves + 1)

    def answered(world, i, answers):
        return world.shared[i] // 2 > answers

    def consume(world, me, i, answers):
        return call(answered, has_read, i, answers) if answers < messages else DONE

    def has_read(world, me, i, answers):
        return consume(world, me, i, answers + 1)

    def close(world, me, i=0):
        return call(always, closed, i) if i < connections else DONE

    def closed(world, me, i):
        world.shared = replaced(world.shared, i, 0)
        return close(world, me, i + 1)

    rest = join_then(close)
    return count((0,) * connections, 0, connect, [])


def alphabet_server(clients, messages):
    """A worker reads and writes in turn, reads the end and closes; the next client may get its descriptor."""
    def accept(world, me, left=clients):
        return call(always, accepted, left) if left else rest(world, me)

    def accepted(world, me, left):
        fd = lowest_free(world.shared)
        world.shared = world.shared | {fd}
        world.threads.append(start(serve, fd, 2 * messages + 1))
        return accept(world, me, left - 1)

    def serve(world, me, fd, left):
        return call(always, served, fd, left)

    def served(world, me, fd, left):
        if left:
            return serve(world, me, fd, left - 1)
        world.shared = world.shared - {fd}
        return DONE

    rest = join_then(end)
    return count(frozenset(), 0, accept, [])


def alphabet_poll(clients, messages):
    """
    One thread and poll: a state for each round, and one before main. What could have news: the listener, while a client is left, and every
    connection, whose client has sent its next number or has closed. Any of them but none may have it.
    """
    def after(come, open_, news):
        if LISTENER in news:
            fd = lowest_free({fd for _, _, fd in open_})
            open_, come = (*open_, (come, 0, fd)), come + 1
        served = (c if i not in news else (c[0], c[1] + 1, c[2]) for i, c in enumerate(open_))
        return come, tuple(c for c in served if c[1] <= messages)

    LISTENER = -1
    first = (0, ())
    seen, todo, edges, ends = {first}, [first], 0, 0
    while todo:
        come, open_ = todo.pop()
        could = [*range(len(open_)), *([LISTENER] if come < clients else [])]
        ends += not could
        for k in range(1, len(could) + 1):
            for news in itertools.combinations(could, k):
                edges += 1
                found = after(come, open_, news)
                if found not in seen:
                    seen.add(found)
                    todo.append(found)
    return len(seen) + 1, edges + 1, ends, 0


def chat(clients, names=True):
    """Shared: the lines that each client has heard. A client says a line at once, and leaves when it has heard all."""
    def accept(world, me, left=clients):
        if left:
            return call(always, accept, left - 1)
        world.threads += [start(serve, i) for i in range(clients)]
        return rest(world, me)

    def serve(world, me, i):
        return call(always, line_read, i)

    def line_read(world, me, i):
        return lock(0, tell, i)

    def tell(world, me, i, to=0):
        if to < clients:
            return call(always, told, i, to)
        world.unlock(0)
        return call(has_left, end_read, i)

    def told(world, me, i, to):
        world.shared = replaced(world.shared, to, world.shared[to] + ((i if names else 0),))
        return tell(world, me, i, to + 1)

    def has_left(world, i):
        return len(world.shared[i]) == clients

    def end_read(world, me, i):
        return lock(0, leave, i)

    def leave(world, me, i):
        return call(always, closed, i)

    def closed(world, me, i):
        world.shared = replaced(world.shared, i, ())
        world.unlock(0)
        return DONE

    rest = join_then(end)
    return count(((),) * clients, 1, accept, [])


if __name__ == "__main__":
    print(*globals()[sys.argv[1].replace("-", "_")](*map(int, sys.argv[2:])))
