"""Slots: each is the right to keep one processor busy. tools/run-tests runs several suites at a time, most of
which run several programs at a time; together they hold no more slots than there are: one more than processors, as
many programs wait for their peers.

A slot is a file in the folder $HEDDLE_TEST_SLOTS, taken by flock: the kernel gives it back when its holder dies.
Without that variable, as when a suite is started by hand, everybody gets one at once."""

import concurrent.futures
import contextlib
import fcntl
import os
import time

LOOK_AGAIN_S = 0.005
JOBS = int(os.environ.get("HEDDLE_TEST_JOBS", "0")) or len(os.sched_getaffinity(0))
# The environment of somebody for whom a slot is held already: waiting for another one could be for ever.
ONE_JOB = {"HEDDLE_TEST_SLOTS": "", "HEDDLE_TEST_JOBS": "1"}


def make(folder, count):
    """The environment variable for those who shall share the slots in this folder."""
    for number in range(count):
        open(os.path.join(folder, f"slot{number}"), "w").close()
    return {"HEDDLE_TEST_SLOTS": str(folder), "HEDDLE_TEST_JOBS": str(count)}


def _try(path):
    """A file that holds the lock, or None."""
    file = open(path, "w")
    try:
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return file
    except BlockingIOError:
        file.close()
        return None


@contextlib.contextmanager
def slot(folder=None):
    """Holds a slot; waits until there is one. Nobody may wait for a second one while holding the first."""
    folder = folder or os.environ.get("HEDDLE_TEST_SLOTS")
    if not folder:
        yield
        return
    paths = [entry.path for entry in os.scandir(folder)]
    while True:
        held = next(filter(None, map(_try, paths)), None)
        if held:
            break
        time.sleep(LOOK_AGAIN_S)
    with held:
        yield


def in_parallel(function, items, jobs=JOBS):
    """Results in the order of the items; each call holds a slot."""
    def holding(item):
        with slot():
            return function(item)
    with concurrent.futures.ThreadPoolExecutor(jobs) as pool:
        yield from pool.map(holding, items)


def one_by_one(function, items):
    """The same for what cannot bear company."""
    return in_parallel(function, items, 1)


class _Holding:
    """A function that can be sent to another process, like the one inside."""

    def __init__(self, function):
        self.function = function

    def __call__(self, item):
        with slot():
            return self.function(item)


def in_processes(function, items):
    """The same for work that Python itself does."""
    with concurrent.futures.ProcessPoolExecutor(JOBS) as pool:
        yield from pool.map(_Holding(function), items, chunksize=8)
