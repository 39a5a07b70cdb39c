"""States, transitions, end states and deadlocks of examples/philosophers: philosophers.py N [bad]"""

import sys

from interleave import DONE, count, join_all, lock, start


def philosophers(n, bad=False):
    def forks(i):
        pair = (i, (i + 1) % n)
        return pair if bad else tuple(sorted(pair))

    def sit_down(world, me, i):
        return lock(forks(i)[0], first_taken, i)

    def first_taken(world, me, i):
        return lock(forks(i)[1], eat, i)

    def eat(world, me, i):
        for fork in forks(i):
            world.unlock(fork)
        return DONE

    return count((), n, join_all, [start(sit_down, i) for i in range(n)])


if __name__ == "__main__":
    print(*philosophers(int(sys.argv[1]), sys.argv[2:] == ["bad"]))
