"""
States, transitions, end states and deadlocks of examples/readers-writers:
readers_writers.py READERS WRITERS

World.shared is (reading, writing, waiting writers, value).
"""

import sys

from interleave import DONE, count, join_all, lock, start

LOCK = 0
MAY_READ, MAY_WRITE = range(2)


def unlock_and_end(world, me):
    world.unlock(LOCK)
    return DONE


def reader(world, me):
    return lock(LOCK, before_read)


def before_read(world, me):
    reading, writing, waiting, value = world.shared
    if writing or waiting:
        return world.wait(MAY_READ, LOCK, before_read)
    world.shared = (reading + 1, writing, waiting, value)
    world.unlock(LOCK)
    return lock(LOCK, after_read)


def after_read(world, me):
    reading, writing, waiting, value = world.shared
    assert reading > 0 and not writing
    world.shared = (reading - 1, writing, waiting, value)
    if reading == 1:
        return world.signal(me, MAY_WRITE, unlock_and_end)
    return unlock_and_end(world, me)


def writer(world, me, i):
    return lock(LOCK, come_to_write, i)


def come_to_write(world, me, i):
    reading, writing, waiting, value = world.shared
    world.shared = (reading, writing, waiting + 1, value)
    return before_write(world, me, i)


def before_write(world, me, i):
    reading, writing, waiting, value = world.shared
    if reading or writing:
        return world.wait(MAY_WRITE, LOCK, before_write, i)
    world.shared = (reading, 1, waiting - 1, 1 + i)
    world.unlock(LOCK)
    return lock(LOCK, after_write)


def after_write(world, me):
    reading, writing, waiting, value = world.shared
    assert reading == 0 and writing
    world.shared = (reading, 0, waiting, value)
    if waiting:
        return world.signal(me, MAY_WRITE, unlock_and_end)
    world.broadcast(MAY_READ)
    return unlock_and_end(world, me)


def readers_writers(readers, writers):
    threads = [start(reader)] * readers + [start(writer, i) for i in range(writers)]
    return count((0, 0, 0, 0), 1, join_all, threads)


if __name__ == "__main__":
    print(*readers_writers(int(sys.argv[1]), int(sys.argv[2])))
