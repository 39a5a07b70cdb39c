"""heddle replay, show, help, doctor, scenario files."""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness
from support import Skip, case, expect, in_scratch, one_sentence, program, wait_until, marked_environment, processes_with

# A seccomp filter that lets ptrace fail with EPERM, as in a container without the right; then exec.
DENY_PTRACE = """
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 1, 101), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(text)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter, 0, 0):
    sys.exit("no seccomp here")
os.execv(sys.argv[1], sys.argv[1:])
"""


@case
@in_scratch
def replay_confirms(place):
    """replay: the violation happens again (exit 1), with the program's output"""
    run = place.heddle("replay", place.trace("--", program("talks.c")), status=1)
    for text in ("main complains", "the thread goes backwards", "deadlock"):
        expect(text in run.out + run.err, f"{text!r} is missing\n{run.tail()}")
    expect("never in a deadlock" not in run.out, run.tail)
    expect(re.search(r"talks\.c:\d+", run.out), run.tail)


@case
@in_scratch
def replay_is_stable(place):
    """replay: the same text every time, from another directory, too"""
    trace = place.trace("--", program("talks.c"))
    texts = {place.heddle("replay", trace, status=1).out, place.heddle("replay", trace, status=1).out,
             place.heddle("replay", os.path.relpath(trace, "/"), status=1, cwd="/").out}
    expect(len(texts) == 1, texts)


@case
@in_scratch
def replay_all_kinds(place):
    """replay: every kind of violation is confirmed"""
    kinds = {"asserts.c assert": "assert", "asserts.c abort": "abort", "crash.c null": "crash", "misuse.c unlock-free": "lock-misuse",
             "heap_misuse.c double": "free", "cxx_uncaught.cpp thread": "logic_error", "stack_overflow.c thread": "overflow",
             "cond_lost_wakeup.c unlocked": "deadlock", "mutex_try_bug.c": "assert", "pipe_threads.c stuck": "deadlock"}
    for command, word in kinds.items():
        name, *args = command.split()
        trace = place.trace("--", program(name), *args)
        run = place.heddle("replay", trace, status=1)
        expect(word in run.out, f"{command}: no {word!r}\n{run.tail()}")
    for options, name, word in ((["--hang-time", "1"], "hang.c", "hang"), (["--check-exit"], "thread_exit_status.c", "exit"),
                                (["--heap-limit", "1M", "--check-exit"], "thread_exit_status.c", "exit"),
                                (["--strategy", "pct", "--seed", "1"], "talks.c", "deadlock"),
                                (["--strategy", "bfs"], "talks.c", "deadlock")):
        trace = place.trace(*options, "--", program(name))
        run = place.heddle("replay", trace, status=1)
        expect(word in run.out, f"{name} {options}: no {word!r}\n{run.tail()}")


@case
@in_scratch
def replay_livelock(place):
    """replay: a path that ends in a loop is a livelock where one was recorded, and nothing where none was"""
    trace = place.trace("--", program("livelock_yield.c"))
    run = place.heddle("replay", trace, status=1)
    expect("livelock" in run.out, run.tail)
    text = pathlib.Path(trace).read_text()
    expect('"kind": "livelock"' in text, text[:500])
    pathlib.Path(trace).write_text(text.replace('"kind": "livelock"', '"kind": "deadlock"'))
    one_sentence(place.heddle("replay", trace, status=2), "without the recorded deadlock")


@case
@in_scratch
def replay_another_copy(place):
    """replay: a copy of the program may be given after --, another program may not"""
    trace = place.trace("--", program("talks.c"))
    shutil.copy(program("talks.c"), place.path / "copy")
    place.heddle("replay", trace, "--", "./copy", status=1)
    one_sentence(place.heddle("replay", trace, "--", program("mutex_counter.c"), status=2), "not the program")


@case
@in_scratch
def replay_program_gone(place):
    """replay: when the recorded program is gone, a sentence says so"""
    shutil.copy(program("talks.c"), place.path / "gone")
    trace = place.trace("--", place.path / "gone")
    (place.path / "gone").unlink()
    one_sentence(place.heddle("replay", trace, status=2), "gone.*No such file")


@case
@in_scratch
def replay_in_gdb(place):
    """replay: --gdb stops at the violation, the threads' stacks can be walked"""
    if not shutil.which("gdb"):
        raise Skip("no gdb here")
    trace = place.trace("--", program("talks.c"))
    mark, env = marked_environment()
    run = place.heddle("replay", trace, "--gdb", "--gdb-args",
                       "-batch -ex 'heddle threads' -ex 'heddle thread 2' -ex bt -ex 'heddle thread 1' -ex bt", env=env)
    text = run.out + run.err
    expect(re.search(r"backwards \(.*talks\.c:\d+", text), lambda: f"no stack of the thread\n{text[-3000:]}")
    expect(re.search(r"main \(.*talks\.c:\d+", text), lambda: f"no stack of main\n{text[-3000:]}")
    expect(run.status in (0, 1), lambda: f"exit {run.status}")
    expect(wait_until(lambda: not processes_with(mark)), "left behind")


def dialogue(place, trace, *commands, at=None):
    """What gdb says after its start-up lines, when it is told these commands."""
    if not shutil.which("gdb"):
        raise Skip("no gdb here")
    mark, env = marked_environment()
    script = place.path / "dialogue.gdb"
    script.write_text("".join(f"echo --- {c}\\n\npython\ntry: gdb.execute({c!r})\nexcept gdb.error as e: print(e)\nend\n"
                              for c in commands))
    where = ("--gdb",) if at is None else ("--at", str(at))
    run = place.heddle("replay", trace, *where, "--quiet", "--gdb-args", f"-batch -x {script}", env=env, status=1)
    expect(wait_until(lambda: not processes_with(mark)), "left behind")
    parts = re.split(r"^--- .*\n", run.out, flags=re.M)
    expect(len(parts) == len(commands) + 1, lambda: f"{parts}\n{run.err}")
    expect("heddle step [N], heddle back [N], heddle goto N, heddle threads" in parts[0], parts[0])
    return parts


@case
@in_scratch
def gdb_back_and_forth(place):
    """replay: in gdb to step 7, a variable, back, a watchpoint, on to the violation, and not beyond"""
    trace = place.trace("--", program("sums.c"))
    parts = dialogue(place, trace, "heddle goto 7", "print total", "bt", "heddle back", "print total", "watch total",
                     "continue", "heddle threads", "heddle thread 1", "bt", "continue", "continue", "continue", "bt",
                     "continue", "next", "heddle step", "run", "heddle goto 10", "heddle back", "print total", at=0)
    for part, pattern in ((1, r"before step 7 of 10: thread 3: locks mutex m\n.*add \(by=1\)"), (2, r"= 31$"),
                          (3, r"#\d+ .* add \(by=1\).*\n#\d+ .* ones \(.*sums\.c:\d+\n$"),
                          (4, r"before step 6 of 10"), (5, r"= 30$"), (6, "Hardware watchpoint 1: total"),
                          (7, r"Old value = 30\nNew value = 31\n"), (7, "in step 6 of 10: thread 3"),
                          (8, r"  thread 1: waits to join thread 2\n\* thread 3: runs"), (9, r"main \(\) at .*sums\.c"),
                          (10, r"^#\d+ .*main \(\) at [^\n]*\n$"), (11, r"Old value = 31\nNew value = 32\n"),
                          (12, r"New value = 33\n"), (13, r"the end, after 10 steps: assert: .*total != 33.*\n.*ones \("),
                          (14, r"ones \(.*sums\.c:\d+"), (15, "the execution ends here"), (16, "the execution ends here"),
                          (17, "the execution ends here"), (18, "run would leave the recorded execution"),
                          (19, "there is no step 10; they are 0 to 9"), (20, "before step 9 of 10"), (21, r"= 33\n")):
        expect(re.search(pattern, parts[part]), lambda: f"part {part}, no {pattern!r}:\n{parts[part]}")
    expect("libheddle-rt" not in parts[3] + parts[10] + parts[14], "frames of the runtime are shown")


@case
@in_scratch
def gdb_breakpoints(place):
    """replay: in gdb, breakpoints, next, finish and local watchpoints work between and within steps, and are kept"""
    trace = place.trace("--", program("sums.c"))
    parts = dialogue(place, trace, "next", "next", "break add if by == 1", "heddle goto 8", "info line", "finish", "heddle step",
                     "watch -l before", "heddle goto 6", "continue", "heddle goto 2", "info breakpoints", at=3)
    for part, pattern in ((1, r"\ttotal = before"), (2, r"\tpthread_mutex_unlock"), (4, r"Breakpoint 1.*, add \(by=1\)"), (4, "in step 5 of 10: thread 3: starts"),
                          (6, r"ones \("), (7, "before step 7|Breakpoint 1"), (8, "Hardware watchpoint 2"), (9, "before step 6 of 10"),
                          (10, r"watchpoint 2|Breakpoint 1"), (11, "before step 2 of 10: thread 2"),
                          (12, r"1 +breakpoint +keep y.*\n(.*\n)+2 +hw watchpoint +keep y")):
        expect(re.search(pattern, parts[part]), lambda: f"part {part}, no {pattern!r}:\n{parts[part]}")


@case
@in_scratch
def gdb_atomics_and_crash(place):
    """replay: in gdb, atomic instructions and faults of the program are steps and ends as without it"""
    trace = place.trace("--", program("crash.c"), "thread")
    parts = dialogue(place, trace, "bt", "heddle back", "continue")
    expect(re.search(r"crash\.c:\d+", parts[1]), parts[1])
    expect("before step" in parts[2] and re.search(r"the end.*crash.*\n.*crash\.c:\d+", parts[3]), parts)
    trace = place.trace("--", program("turns.c"))
    parts = dialogue(place, trace, "next", "watch turn", "continue", "continue", at=3)
    expect("Hardware watchpoint" in parts[3] and "the end" in parts[4], parts)


@case
@in_scratch
def gdb_wrong_step(place):
    """replay: --at a step that is not there"""
    trace = place.trace("--", program("sums.c"))
    one_sentence(place.heddle("replay", trace, "--at", "10", status=2), "no step 10; they are 0 to 9")
    one_sentence(place.heddle("replay", trace, "--at", "x", status=2), "x is not a whole number")


@case
@in_scratch
def show(place):
    """show: a trace and a report folder, for people"""
    trace = place.trace("--", program("talks.c"))
    one, folder = place.heddle("show", trace, status=0), place.heddle("show", place.path / "out", status=0)
    for run in (one, folder):
        expect(re.search(r"talks\.c:\d+", run.out) and "deadlock" in run.out and "backwards" in run.out, run.tail)
    expect("verdict: violation" in folder.out, folder.tail)
    one_sentence(place.heddle("show", place.path / "nothing", status=2), "nothing")
    expect(place.heddle("show", status=2).err, "show without an argument says nothing")


@case
@in_scratch
def scenario(place):
    """check: a scenario file says what options say; the command line wins"""
    file = place.path / "heddle.yaml"
    file.write_text(f"sut: [{program('philosophers.c')}, 6]\nlimits: {{states: 100}}\nstrategy: bfs\n")
    run = place.check("-f", file, status=3)
    expect(run.result["states"] <= 101 and run.result["program"][1:] == ["6"], run.result)
    run = place.check("-f", file, "--max-states", "300", status=3)
    expect(100 < run.result["states"] <= 301, run.result)
    run = place.check("-f", file, "--max-states", "0", "--", program("philosophers.c"), "3", status=0)
    expect(run.result["program"][1:] == ["3"], run.result)
    file.write_text(f"sut: {program('thread_exit_status.c')}\nproperties:\n  exit-status: yes\n")
    place.check("-f", file, status=1)


@case
@in_scratch
def doctor_without_ptrace(place):
    """doctor: where ptrace is denied it says so, instead of waiting for a process that nobody wakes up"""
    run = subprocess.run([sys.executable, "-c", DENY_PTRACE, str(harness.heddle_path()), "doctor"], capture_output=True, text=True, timeout=60)
    expect(run.returncode not in (0, None), f"exit {run.returncode}")
    expect("ptrace" in run.stdout + run.stderr, run.stdout + run.stderr)


@case
@in_scratch
def doctor_with_foreign_proc(place):
    """doctor, check: where /proc is of another pid namespace, peers can't be looked into, and both say so"""
    enter = ["unshare", "-r", "--pid", "--fork"]
    if not shutil.which("unshare") or subprocess.run([*enter, "true"], capture_output=True, check=False).returncode:
        return
    for words in (["doctor"], ["check", "--no-progress", "--out", "out", "--server", "sleep 9", "--", "/bin/true"]):
        run = subprocess.run([*enter, str(harness.heddle_path()), *words], cwd=place.path, capture_output=True, text=True, timeout=60,
                             check=False)
        expect("another pid namespace" in run.stdout + run.stderr, run.stdout + run.stderr)


@case
@in_scratch
def doctor(place):
    """doctor: says what this machine offers, exit 0 where programs can be checked"""
    run = place.heddle("doctor", status=0)
    expect(len((run.out + run.err).strip().split("\n")) >= 3, run.tail)
    expect(not os.listdir(place.path), "doctor wrote something")


@case
@in_scratch
def shortened(place):
    """check: what the violation does not need is taken out of the execution"""
    run = place.check("--strategy", "random", "--seed", "3", "--", program("bug_far_in_dfs.c"), status=1)
    [found] = run.result["violations"]
    expect(found["steps"] == 7 < found["steps_found"], found)
    expect(f"out of 7, and where it stands ({found['steps_found']} steps when it was found" in run.err, run.tail)


@case
@in_scratch
def shrink(place):
    """shrink: the same violation with fewer switches between threads"""
    place.check("--strategy", "bfs", "--", program("philosophers.c"), "4", "bad", status=1)
    trace = place.path / "out" / "violation-1.trace"
    document = json.loads(trace.read_text())
    expect(document["actions"] == "0 1*2 2*2 3*2 4*2", document["actions"])
    document["actions"] = "0 1 2 3 4 1 2 3 4"  # as good, but nobody wants to read it
    before = json.dumps(document)
    trace.write_text(before)
    first = place.heddle("shrink", trace, "-o", "short.trace", status=0)
    [now, was] = re.findall(r"(\d+) (?:steps )?with (\d+)", first.err)
    expect(now == ("9", "4") and was == ("9", "8"), first.tail)
    expect(trace.read_text() == before, "the trace was changed in spite of -o")
    replay = place.heddle("replay", "short.trace", status=1)
    expect("deadlock" in replay.out and len(re.findall(r"^#\d", replay.out, re.M)) == 9, replay.tail)
    place.heddle("shrink", trace, status=0)
    expect(trace.read_text() != before, "the trace stayed as it was")
    again = place.heddle("shrink", trace, status=0)
    expect("nothing shorter than these 9 steps with 4 switches" in again.err, again.tail)


@case
@in_scratch
def shrink_refuses(place):
    """shrink: no trace, no such trace, another program: exit 2"""
    expect("no trace" in place.heddle("shrink", status=2).err, "no operand")
    expect("nowhere" in place.heddle("shrink", "nowhere.trace", status=2).err, "no such file")
    place.check("--", program("deadlock_abba.c"), status=1)
    run = place.heddle("shrink", "out/violation-1.trace", "--", program("philosophers.c"), status=2)
    expect("is not the program" in run.err, run.tail)


@case
@in_scratch
def help_texts(place):
    """help: version, overview, and a text per verb"""
    expect(re.match(r"heddle \d+\.\d+", place.heddle("--version", status=0).out), "no version")
    overview = place.heddle("help", status=0).out
    expect(overview == place.heddle("--help", status=0).out, "--help differs from help")
    for verb in ("check", "replay", "show", "shrink", "doctor"):
        expect(verb in overview and f"heddle {verb}" in place.heddle("help", verb, status=0).out, verb)
    options = place.heddle("help", "check", status=0).out
    for option in ("strategy", "seed", "max-states", "max-depth", "max-time", "max-memory", "keep-going", "out", "format",
                   "quiet", "verbose", "no-progress", "sanity"):
        expect(f"--{option}" in options, f"--{option} is not in the help")


@case
def every_verb_of_the_contract():
    """verbs that come later say so, exit 2"""
    for verb in ("certify", "partition", "tree"):
        status, _, err = harness.run_process([harness.heddle_path(), verb], "/", 20)
        expect(status == 2 and err.startswith("heddle: "), f"{verb}: {status} {err}")


@case
@in_scratch
def no_adapter_protocol(place):
    """replay: a gdb without the Debug Adapter Protocol is told of in a sentence"""
    trace = place.trace("--", program("talks.c"))
    probe = subprocess.run(["gdb", "-nx", "-q", "-batch", "-ex", "python import gdb.dap"], capture_output=True, check=False)
    if probe.returncode == 0:
        raise Skip("this gdb has it")
    for words in ("-i=dap", "--interpreter=dap", "-q -i dap"):
        run = place.heddle("replay", "--quiet", "--gdb-args", words, trace, status=2)
        one_sentence(run, "does not speak the Debug Adapter Protocol: gdb 14")
