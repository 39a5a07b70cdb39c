"""What the guest, brute-force and end-to-end suites share: compiling guest
programs, running heddle on them and telling the result in TAP."""

import fcntl
import json
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import threading

TEST = pathlib.Path(__file__).resolve().parent.parent
ROOT = TEST.parent
GUESTS = TEST / "guest"
sys.path.insert(0, str(TEST))
from slots import in_parallel, in_processes, one_by_one  # noqa: E402,F401

BUILD = pathlib.Path(os.environ.get("HEDDLE_BUILD", ROOT / "build")).resolve() / "guests"
RUN_TIMEOUT = int(os.environ.get("HEDDLE_TEST_TIMEOUT", "120"))

EXIT_OF_VERDICT = {"verified": 0, "violation": 1, "bounded": 3, "incomplete": 3}
os.environ.setdefault("HEDDLE_JOBS", "1")  # counts with reduction depend on how many workers there are
os.environ.pop("RUST_BACKTRACE", None)  # with it, every panic of every execution reads the program's debug information
INPUT_TXT = "first line\nsecond line\nthird line, without an end"


def heddle_path():
    """The heddle to test: $HEDDLE, or the one of this checkout's build."""
    return pathlib.Path(os.environ.get("HEDDLE", ROOT / "build" / "heddle")).absolute()


class Tap:
    """Prints TAP lines and remembers whether anything failed."""

    def __init__(self):
        self.count = 0
        self.failed = []

    def result(self, name, why=None):
        self.count += 1
        if why is None:
            print(f"ok {self.count} - {name}", flush=True)
        else:
            first, *rest = str(why).strip().split("\n")
            print(f"not ok {self.count} - {name} # {first}", flush=True)
            for line in rest:
                print(f"#   {line}")
            self.failed.append(name)

    def skip(self, name, why):
        self.count += 1
        print(f"ok {self.count} - {name} # SKIP {why}", flush=True)

    def finish(self):
        print(f"1..{self.count}")
        for name in self.failed:
            print(f"# failed: {name}")
        return 1 if self.failed else 0


# ---------------------------------------------------------------- compiling

WARNINGS = ["-Wall", "-Wextra"]
INCLUDES = ["-I", str(ROOT / "include"), "-I", str(GUESTS)]


def compile_command(source, binary, flags):
    if source.suffix == ".rs":
        return ["rustc", "--edition", "2021", "-g", "-O", "-o", str(binary), str(source), *flags]
    compiler, std = ("g++", "-std=c++20") if source.suffix == ".cpp" else ("gcc", "-std=gnu11")
    return [compiler, std, "-D_GNU_SOURCE", "-g", "-O1", *WARNINGS, *INCLUDES, "-pthread",
            "-o", str(binary), str(source), *flags]


def newest(paths):
    return max(p.stat().st_mtime for p in paths)


def build_flags(text):
    """What the `build:` lines of a guest's header add."""
    return [f for m in re.findall(r"^[ */]*build: (.*)$", text, re.M) for f in m.split()]


def compile_guest(source, flags=(), binary=None):
    """Compiles one guest unless it is up to date. Returns (binary, error text or None)."""
    source = pathlib.Path(source)
    binary = pathlib.Path(binary or BUILD / source.name.replace(".", "_"))
    binary.parent.mkdir(parents=True, exist_ok=True)
    with open(binary.with_name(f".{binary.name}.lock"), "w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)  # several suites use the same guests
        return compile_once(source, flags, binary)


def compile_once(source, flags, binary):
    headers = [*GUESTS.glob("*.h"), GUESTS / "heddle.rs", ROOT / "include/heddle/heddle.h"]
    if binary.exists() and binary.stat().st_mtime > newest([source, *headers]):
        return binary, None
    partial = binary.with_name(f"{binary.name}.{os.getpid()}.{threading.get_ident()}")
    done = subprocess.run(compile_command(source, partial, flags), capture_output=True, text=True)
    complaint = (done.stdout + done.stderr).strip() or None
    if done.returncode == 0 and not complaint:
        partial.replace(binary)
    else:
        partial.unlink(missing_ok=True)  # a warning fails the next time, too
    return binary, complaint or (None if done.returncode == 0 else "the compiler failed")


# ------------------------------------------------------------------ running

class Run:
    """One finished run of heddle (or of a guest): status, texts, result.json."""

    def __init__(self, command, status, out, err, result, left_behind):
        self.command, self.status, self.out, self.err = command, status, out, err
        self.result, self.left_behind = result, left_behind

    def tail(self):
        text = (self.out + self.err).strip().split("\n")
        return "\n".join([" ".join(map(str, self.command)), *text[-25:]])


def fresh_directory(where):
    """A working directory with known contents, for guests that use files."""
    where.mkdir()
    (where / "input.txt").write_text(INPUT_TXT)
    (where / "listed").mkdir()
    (where / "listed" / "real.txt").write_text("real\n")


def snapshot(where):
    return {str(p.relative_to(where)): p.read_bytes() if p.is_file() else None
            for p in sorted(where.rglob("*"))}


def run_process(command, cwd, timeout, env=None, stdin=subprocess.DEVNULL):
    """Runs a command in its own process group; on time-out the group dies. Status None = timed out."""
    process = subprocess.Popen([str(c) for c in command], cwd=cwd, env=env, stdin=stdin, text=True,
                               stdout=subprocess.PIPE, stderr=subprocess.PIPE, errors="replace",
                               start_new_session=True)
    try:
        out, err = process.communicate(timeout=timeout)
        return process.returncode, out, err
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        out, err = process.communicate()
        return None, out, err


def whole_messages(options):
    """Options for a run with peers: unless they say otherwise, what is sent arrives in one piece, so that counts are small."""
    peers = {"--client", "--server"} & set(map(str, options))
    return ["--short-io", "off"] if peers and "--short-io" not in options else []


def heddle_check(program, options=(), timeout=RUN_TIMEOUT, env=None, cwd=None, stdin=subprocess.DEVNULL):
    """Runs `heddle check` in a scratch directory. program: list, [0] is the binary."""
    options = [*whole_messages(options), *options]
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as scratch:
        scratch = pathlib.Path(scratch)
        place = pathlib.Path(cwd) if cwd else scratch / "cwd"
        if not cwd:
            fresh_directory(place)
        before = snapshot(place)
        options = [scratch / "graph.dot" if o == GRAPH else o for o in options]
        command = [heddle_path(), "check", "--no-progress", "--out", scratch / "out", *options, "--", *program]
        status, out, err = run_process(command, place, timeout, env, stdin)
        left = sorted(set(snapshot(place).items()) ^ set(before.items()), key=str)
        result = None
        if (scratch / "out" / "result.json").exists():
            result = json.loads((scratch / "out" / "result.json").read_text())
        return Run(command, status, out, err, result, [name for name, _ in left])


# Ways to search that have the same ends, deadlocks and violations; the usual one has reduction, depth-first.
GRAPH = "GRAPH"  # stands for a file that heddle_check makes a place for
# With a graph to draw there are no walks before the search, which teach the reduction.
WAYS = {"bfs with reduction": ["--strategy", "bfs", "--por", "on"],
        "reduction without walks": ["--por", "on", "-j", "1", "--graph", GRAPH],
        "without reduction": ["--por", "off"],
        "two workers": ["--por", "on", "-j", "2"],
        "two workers without reduction": ["--por", "off", "-j", "2"]}


def ways(index, every, all_ways):
    """Which of them program `index` is searched in besides: one of them in turn for every `every`-th, or all."""
    names = list(WAYS)
    if not all_ways:
        names = [names[index // every % len(names)]] if index % every == 0 else []
    return [(name, WAYS[name]) for name in names]


def run_native(program, timeout, env=None):
    with tempfile.TemporaryDirectory(prefix="heddle-test.") as scratch:
        place = pathlib.Path(scratch) / "cwd"
        fresh_directory(place)
        status, out, err = run_process(program, place, timeout, env)
        return Run(program, status, out, err, None, [])


# --------------------------------------------------------------- the options

def arguments(description):
    import argparse
    parser = argparse.ArgumentParser(description=description)
    parser.add_argument("-k", metavar="PATTERN", default="", help="only tests whose name matches this regex")
    parser.add_argument("--native", action="store_true", help="run the programs natively, without heddle")
    return parser


def need_heddle():
    """Ends the run with a plain sentence when there is no heddle to test."""
    if not os.access(heddle_path(), os.X_OK):
        print(f"Bail out! {heddle_path()} is not there: build heddle first, or set HEDDLE")
        sys.exit(2)
