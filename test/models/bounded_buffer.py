"""
States, transitions, end states and deadlocks of examples/bounded-buffer:
bounded_buffer.py PRODUCERS CONSUMERS SIZE ITEMS

World.shared is (buffer, heap): the items in the buffer, oldest first, and the blocks in
use. An item is (producer, number). It lies in the producer's block of that number: consumers give blocks
back, and heddle's heap does not use a block again that another thread than its owner gave back. The ring's
indices in the program follow from the number of puts and gets, which the threads' counters tell: they add no states.
"""

import sys

from interleave import DONE, count, join_all, lock, start

LOCK = 0
NOT_EMPTY, NOT_FULL = range(2)


def allocate(world, item):
    buffer, heap = world.shared
    world.shared = (buffer, heap | {item})
    return item


def release(world, item):
    buffer, heap = world.shared
    world.shared = (buffer, heap - {item})


def bounded_buffer(producers, consumers, size, items):
    def produce(world, me, who, number):
        if number == items:
            return DONE
        item = allocate(world, (who, number))
        return lock(LOCK, put, who, number, item)

    def put(world, me, who, number, item):
        buffer, heap = world.shared
        if len(buffer) == size:
            return world.wait(NOT_FULL, LOCK, put, who, number, item)
        world.shared = (buffer + (item,), heap)
        return world.signal(me, NOT_EMPTY, after_put, who, number)

    def after_put(world, me, who, number):
        world.unlock(LOCK)
        return produce(world, me, who, number + 1)

    def consume(world, me, share):
        return lock(LOCK, get, share) if share else DONE

    def get(world, me, share):
        buffer, heap = world.shared
        if not buffer:
            return world.wait(NOT_EMPTY, LOCK, get, share)
        world.shared = (buffer[1:], heap)
        return world.signal(me, NOT_FULL, after_get, share, buffer[0])

    def after_get(world, me, share, item):
        world.unlock(LOCK)
        release(world, item)
        return consume(world, me, share - 1)

    def share(i):
        total = producers * items
        return total // consumers + (i < total % consumers)

    threads = [start(produce, p, 0) for p in range(producers)]
    threads += [start(consume, share(c)) for c in range(consumers)]
    return count(((), frozenset()), 1, join_all, threads)


if __name__ == "__main__":
    print(*bounded_buffer(*map(int, sys.argv[1:5])))
