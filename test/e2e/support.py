"""What end-to-end cases use: running heddle as a user would, and looking for what it leaves behind."""

import functools
import json
import os
import pathlib
import re
import subprocess
import sys
import tempfile
import threading
import time
import uuid

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent / "guest"))
sys.path.insert(0, str(HERE.parent / "schema"))

import harness  # noqa: E402
import schema  # noqa: E402

SCHEMA = json.loads((harness.ROOT / "docs" / "result.schema.json").read_text())
CASES = []
COMPILING = threading.Lock()


class Skip(Exception):
    """This machine can't run the case; the text says why."""


def case(function):
    """Registers a test; its docstring is its name."""
    CASES.append((" ".join(function.__doc__.split()), function))
    return function


def expect(condition, why):
    if not condition:
        raise AssertionError(why() if callable(why) else why)


@functools.lru_cache(None)
def program(name):
    """A compiled guest (or a program of this folder)."""
    source = HERE / name if (HERE / name).exists() else harness.GUESTS / name
    flags = " ".join(re.findall(r"^[ */]*build: (.*)$", source.read_text(), re.M)).split()
    with COMPILING:  # rustc's intermediate files are in each other's way
        binary, why = harness.compile_guest(source, flags)
    expect(why is None, f"{name} does not compile: {why}")
    return binary


class Place:
    """A scratch directory to run heddle in."""

    def __init__(self, directory):
        self.path = pathlib.Path(directory)

    def heddle(self, *arguments, status=None, env=None, cwd=None, timeout=harness.RUN_TIMEOUT):
        command = [harness.heddle_path(), *arguments]
        run = harness.Run(command, *harness.run_process(command, cwd or self.path, timeout, env), None, [])
        expect(status is None or run.status == status, lambda: f"exit status {run.status}, expected {status}\n{run.tail()}")
        return run

    def check(self, *arguments, status=None, **how):
        """heddle check into ./out; the result is read and held against the schema."""
        run = self.heddle("check", "--no-progress", "--out", self.path / "out", *harness.whole_messages(arguments), *arguments,
                          status=status, **how)
        path = self.path / "out" / "result.json"
        if path.exists():
            run.result = json.loads(path.read_text())
            wrong = list(schema.problems(run.result, SCHEMA, SCHEMA))
            expect(not wrong, f"result.json: {wrong}")
        return run

    def trace(self, *arguments):
        """The trace of a violation that heddle finds."""
        self.check(*arguments, status=1)
        return self.path / "out" / "violation-1.trace"


def in_scratch(function):
    """Gives the case a Place that goes away afterwards."""
    @functools.wraps(function)
    def wrapped():
        with tempfile.TemporaryDirectory(prefix="heddle-e2e.") as directory:
            function(Place(directory))
    return wrapped


def counts(run):
    return {k: run.result[k] for k in ("verdict", "states", "transitions", "revisited", "max_depth", "end_states")}


def marked_environment():
    """An environment whose mark finds every process that inherits it."""
    mark = f"HEDDLE_E2E_MARK={uuid.uuid4()}"
    return mark, {**os.environ, **dict([mark.split("=")])}


def processes_with(mark):
    found = []
    for path in pathlib.Path("/proc").glob("[0-9]*/environ"):
        try:
            if mark.encode() in path.read_bytes():
                found.append(int(path.parent.name))
        except OSError:
            pass  # it ended, or is not ours
    return found


def cpu_ticks(pid):
    try:
        fields = pathlib.Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()
    except OSError:
        return 0  # it ended
    return int(fields[11]) + int(fields[12])


def wait_until(condition, seconds=20):
    """Polls; True as soon as the condition holds."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return condition()


def one_sentence(run, pattern):
    """An error message: one line that begins with the tool's name and says what is wrong."""
    lines = [line for line in run.err.strip().split("\n") if line]
    expect(lines and re.search(pattern, lines[0]), lambda: f"message {run.err!r} does not match {pattern!r}")
    expect(lines[0].startswith("heddle: ") and len(lines) <= 2, lambda: f"not one clear sentence: {run.err!r}")
