"""heddle check: verdicts, exit codes, outputs, limits, strategies."""

import fcntl
import json
import os
import pty
import re
import select
import signal
import struct
import subprocess
import termios
import time
import xml.etree.ElementTree

import harness
from support import case, counts, expect, in_scratch, one_sentence, program, wait_until


@case
@in_scratch
def verified(place):
    """check: verified is exit 0"""
    run = place.check("--", program("mutex_counter.c"), status=0)
    expect(run.result["verdict"] == "verified" and run.result["violations"] == [], run.result)
    expect(run.result["program"] == [str(program("mutex_counter.c"))], run.result["program"])


@case
@in_scratch
def violation(place):
    """check: a violation is exit 1, with a trace"""
    run = place.check("--", program("talks.c"), status=1)
    [found] = run.result["violations"]
    expect(found["kind"] == "deadlock" and (place.path / "out" / found["trace"]).exists(), found)


@case
@in_scratch
def incomplete(place):
    """check: a refused call is exit 3, said on the terminal with its line"""
    run = place.check("--", program("refused_processes.c"), "fork", status=3)
    expect(run.result["verdict"] == "incomplete", run.result)
    expect(re.search(r"refused_processes\.c:\d+", run.err), run.tail)


def limited(place, *options):
    run = place.check("--por", "off", *options, "--", program("philosophers.c"), "9", status=3)
    expect(run.result["verdict"] == "bounded" and run.result["reason"], run.result)
    return run.result


@case
@in_scratch
def limit_states(place):
    """check: --max-states ends the search, exit 3"""
    expect(limited(place, "--max-states", "1000")["states"] <= 1001, "more states than allowed")


@case
@in_scratch
def found_by_a_walk(place):
    """check: a violation that a random walk met says so"""
    run = place.check("-v", "--max-states", "20000", "--", program("bug_far_in_dfs.c"), status=1)
    expect(run.result["violations"][0]["found_by"] == "walk" and run.result["walks"] > 0, run.result["violations"])
    expect("found by a random walk" in run.err, run.tail)
    run = place.check("-v", "--strategy", "bfs", "--", program("bug_far_in_dfs.c"), status=1)
    expect(run.result["violations"][0]["found_by"] == "search" and run.result["walks"] == 0, run.result["violations"])
    expect("found by a random walk" not in run.err, run.tail)


@case
@in_scratch
def profile(place):
    """check: --profile says where the states come from, in words, JSON and HTML"""
    plain = place.check("--", program("philosophers.c"), "3", status=0)
    expect("profile" not in plain.result and "where the states" not in plain.err, plain.result)
    run = place.check("--profile", "--por", "off", "--format", "html", "--", program("philosophers.c"), "3", status=0)
    found = run.result["profile"]
    expect(found["every"] == 1 and found["values"] == [] and found["lonely_locks"] == [], found)
    expect(abs(sum(o["new_states"] for o in found["operations"]) - 1) < 1e-6, found)
    [start] = [o for o in found["operations"] if o["operation"] == "starts" and o["where"]]
    expect(start["threads"] == [2, 3, 4], start)
    expect("where the states come from" in run.err, run.tail)
    expect("Where the states come from" in (place.path / "out" / "report.html").read_text(), "not in report.html")


@case
@in_scratch
def graph(place):
    """check: --graph writes the states and what leads from one to the next"""
    run = place.check("--por", "off", "--graph", "g.dot", "--", program("philosophers.c"), "3", status=0)
    text = (place.path / "g.dot").read_text()
    expect(len(re.findall(r"^  s\d+ \[", text, re.M)) == run.result["states"], "not all states")
    edges = re.findall(r"^  s(\d+) -> s(\d+) \[label=\"(.*)\"\];$", text, re.M)
    expect(len(edges) == run.result["transitions"], "not all edges")
    expect({int(to) for _, to, _ in edges} == set(range(1, run.result["states"])), "a state that nothing leads to")
    expect(text.count("peripheries=2") == 1 and text.count("penwidth=3") == 1 and "fillcolor" not in text, text)
    expect("2: locks mutex fork_lock[0]" in text, "an operation without its name")


@case
@in_scratch
def graph_of_a_violation(place):
    """check: --graph marks violations"""
    for option, count in ((), 1), (("--keep-going",), 2):
        place.check(*option, "--graph", "g.dot", "--", program("two_bugs.c"), status=1)
        text = (place.path / "g.dot").read_text()
        expect(text.count("fillcolor") >= count, f"{option}: {text}")
    place.check("--graph", "g.dot", "--", program("deadlock_abba.c"), status=1)
    [bad] = re.findall(r"^  s(\d+) \[.*deadlock.*fillcolor", (place.path / "g.dot").read_text(), re.M)
    expect(f"-> s{bad} " in (place.path / "g.dot").read_text(), "nothing leads to it")


@case
@in_scratch
def graph_too_large(place):
    """check: --graph says in a sentence that there are more than 1000 states"""
    run = place.check("--por", "off", "--graph", "g.dot", "--", program("philosophers.c"), "5", status=0)
    expect(f"g.dot shows the first 1000 of {run.result['states']} states" in run.err, run.tail)
    expect(len(re.findall(r"^  s\d+ \[", (place.path / "g.dot").read_text(), re.M)) == 1000, "not 1000")
    run = place.heddle("check", "--graph", "no/such/folder/g.dot", "--", program("deadlock_abba.c"), status=2)
    expect("choose another place with --graph" in run.err, run.tail)


@case
@in_scratch
def bfs_and_livelocks(place):
    """check: --strategy bfs says that it did not look for livelocks"""
    run = place.check("--strategy", "bfs", "--", program("livelock_yield.c"), "set", status=0)
    expect(any("livelocks" in note for note in run.result["notes"]), run.result["notes"])
    run = place.check("--", program("livelock_yield.c"), "set", status=0)
    expect(not run.result["notes"], run.result["notes"])


@case
@in_scratch
def limit_depth(place):
    """check: --max-depth bounds the search, exit 3"""
    expect(limited(place, "--max-depth", "5")["max_depth"] <= 5, "deeper than allowed")


@case
@in_scratch
def limit_time(place):
    """check: --max-time ends the search, exit 3"""
    limited(place, "--max-time", "300ms")


@case
@in_scratch
def max_time_before_peers(place):
    """check: --max-time ends a run whose server does not get ready"""
    run = place.check("--max-time", "1s", "--server", "sleep 1000", "--", program("philosophers.c"), "3", status=3)
    expect("the limit of 1 s was reached" in run.result["reason"], run.result)


@case
@in_scratch
def max_time_ends_a_step(place):
    """check: --max-time ends a step that never does"""
    run = place.check("--max-time", "1s", "--", program("spins_alone.c"), status=3)
    expect(run.result["verdict"] == "bounded" and run.result["wall_s"] < 4, run.result)


@case
@in_scratch
def dependent_pairs_are_counted(place):
    """check: at --sanity 3 pairs declared dependent are executed in both orders: two acquires never agree"""
    pairs = place.check("--sanity", "3", "--por", "off", "--", program("philosophers.c"), "3").result["dependent_pairs"]
    acquires = [p for p in pairs if p["class"] == 0 and p["modes"] == [3, 3]]
    expect(acquires and acquires[0]["pairs"] > 0 and acquires[0]["agreed"] == 0, pairs)
    plain = place.check("--", program("philosophers.c"), "3").result
    expect("dependent_pairs" not in plain, plain)


@case
@in_scratch
def limit_memory(place):
    """check: --max-memory is obeyed: a search goes on with bits instead of states, or ends; exit 3"""
    result = limited(place, "--por", "off", "--max-memory", "8M")
    coverage = result["coverage"]
    expect(coverage["ended"] and 0 < coverage["estimate"] <= 1 and "explored" in result["reason"], result)
    expect(coverage["exact_states"] < result["states"] and result["memory_bytes"] <= 8 << 20, result)
    expect(result["states"] + coverage["missed_states"] <= 1.01 * 333142, result)
    expect("coverage" not in limited(place, "--max-memory", "1M"), "a coverage of what was not finished")


@case
@in_scratch
def violation_within_limit(place):
    """check: a violation found before a limit is exit 1"""
    place.check("--keep-going", "--max-states", "200", "--", program("philosophers.c"), "4", "greedy", status=1)


@case
@in_scratch
def writes_only_heddle_out(place):
    """check: without --out, results go to heddle-out and nothing else is written"""
    place.heddle("check", "--no-progress", "--", program("talks.c"), status=1)
    expect(os.listdir(place.path) == ["heddle-out"], os.listdir(place.path))
    expect(sorted(os.listdir(place.path / "heddle-out")) == ["result.json", "violation-1.trace"],
           os.listdir(place.path / "heddle-out"))


@case
@in_scratch
def old_results_go(place):
    """check: results of an earlier run do not stay beside the new ones"""
    place.check("--", program("talks.c"), status=1)
    place.check("--", program("mutex_counter.c"), status=0)
    expect(sorted(os.listdir(place.path / "out")) == ["result.json"], os.listdir(place.path / "out"))


@case
@in_scratch
def program_output_is_swallowed(place):
    """check: the program's output does not show, heddle's words go to stderr"""
    run = place.check("--", program("talks.c"), status=1)
    expect(run.out == "" and "main complains" not in run.err.split("deadlock")[0], run.tail)
    expect("goes backwards\n" not in run.err, run.tail)


@case
@in_scratch
def quiet(place):
    """check: --quiet says nothing"""
    run = place.check("--quiet", "--", program("talks.c"), status=1)
    expect(run.out + run.err == "", run.tail)


@case
@in_scratch
def verbose(place):
    """check: --verbose prints every step"""
    run = place.check("--verbose", "--", program("talks.c"), status=1)
    expect(len(run.err) > len(place.check("--", program("talks.c"), status=1).err), run.tail)


@case
@in_scratch
def report_tells_the_story(place):
    """check: the report says who waits for what, held by whom, with source lines"""
    run = place.check("--", program("talks.c"), status=1)
    expect(re.search(r"deadlock", run.err) and re.search(r"held by", run.err), run.tail)
    for name in ("first", "second", "backwards", "main"):
        expect(re.search(rf"\b{name}\b", run.err), f"{name} is not named\n{run.tail()}")
    expect(len(set(re.findall(r"talks\.c:(\d+)", run.err))) >= 2, run.tail)


@case
@in_scratch
def last_line_replays(place):
    """check: the last line is the command that replays the violation"""
    run = place.check("--", program("talks.c"), status=1)
    command = re.search(r"replay: (.*)$", run.err.strip().split("\n")[-1])
    expect(command, run.tail)
    done = subprocess.run(["sh", "-c", command[1]], cwd=place.path, capture_output=True, text=True, check=False)
    expect(done.returncode == 1 and "deadlock" in done.stdout, done.stdout + done.stderr)


@case
@in_scratch
def two_at_a_time(place):
    """check: two runs at a time never write into the same folder"""
    command = [harness.heddle_path(), "check", "--no-progress"]
    with subprocess.Popen([*command, "-k", "--por", "off", "--", program("long_search.c")], cwd=place.path, stderr=subprocess.DEVNULL) as first:
        try:
            busy = lambda: subprocess.run(["flock", "-n", place.path / "heddle-out", "true"], check=False).returncode  # noqa: E731
            expect(wait_until(lambda: (place.path / "heddle-out").exists() and busy()), "the first run takes no lock")
            second = place.heddle("check", "--no-progress", "--", program("talks.c"), status=1)
            expect("go into heddle-out-2" in second.err and "replay heddle-out-2/violation-1.trace" in second.err, second.tail)
            expect((place.path / "heddle-out-2/result.json").exists(), "no result of the second run")
            expect(not (place.path / "heddle-out/result.json").exists(), "the runs are mixed up")
            one_sentence(place.heddle("check", "--out", "heddle-out", "--", program("talks.c"), status=2), "in use by another heddle")
        finally:
            first.send_signal(signal.SIGINT)
    result = json.loads((place.path / "heddle-out/result.json").read_text())
    expect(result["program"] == [str(program("long_search.c"))] and [v["kind"] for v in result["violations"]] == ["abort"], result)
    place.heddle("check", "--out", "heddle-out", "--", program("talks.c"), status=1)


@case
@in_scratch
def formats(place):
    """check: --format writes each report, well-formed"""
    names = ["text", "json", "junit", "sarif", "html"]
    place.check(*[x for n in names for x in ("--format", n)], "--", program("talks.c"), status=1)
    files = {p.suffix: p for p in (place.path / "out").iterdir() if p.name != "result.json"}
    junit = xml.etree.ElementTree.parse(files[".xml"]).getroot()
    expect(junit.iter("failure"), "no failure in junit")
    sarif = [json.loads(p.read_text()) for p in (place.path / "out").iterdir() if "sarif" in p.name]
    expect(sarif and sarif[0]["version"] == "2.1.0" and sarif[0]["runs"][0]["results"], sarif)
    expect("<html" in files[".html"].read_text() and "deadlock" in files[".txt"].read_text(), sorted(files))


@case
@in_scratch
def same_counts_by_strategy(place):
    """check: bfs and dfs see the same states; bfs has the shortest counterexample"""
    dfs, bfs = (place.check("--por", "off", "--strategy", s, "--", program("philosophers.c"), "5", status=0) for s in ("dfs", "bfs"))
    for key in ("states", "transitions", "end_states"):
        expect(dfs.result[key] == bfs.result[key], f"{key}: {dfs.result[key]} and {bfs.result[key]}")
    steps = [place.check("--strategy", s, "--", program("philosophers.c"), "4", "greedy",
                         status=1).result["violations"][0]["steps"] for s in ("bfs", "dfs")]
    expect(steps[0] <= steps[1], steps)


@case
@in_scratch
def seeds(place):
    """check: random and pct are reproducible by seed and end bounded"""
    for strategy in ("random", "pct"):
        runs = [place.check("--strategy", strategy, "--seed", "5", "--runs", "20", "--", program("philosophers.c"), "5",
                            status=3).result for _ in range(2)]
        for key in ("verdict", "transitions", "states", "max_depth", "runs"):
            expect(runs[0][key] == runs[1][key], f"{strategy} {key}: {runs[0][key]} and {runs[1][key]}")
        expect(runs[0]["verdict"] == "bounded" and runs[0]["runs"] == 20, runs[0])


@case
@in_scratch
def sanity(place):
    """check: --sanity 3 finds nothing wrong and does not change the counts"""
    for name, args in (("philosophers.c", ["4"]), ("cond_buffer.c", ["right"]), ("heap_canonical.c", []),
                       ("mutex_try_observes.c", []), ("pipe_threads.c", ["order"])):
        plain = place.check("--", program(name), *args, status=0)
        checked = place.check("--sanity", "3", "--", program(name), *args, status=0)
        expect(counts(plain) == counts(checked), f"{name}: {counts(plain)}, with sanity {counts(checked)}")
        expect(checked.result["sanity_checks"] > 0, f"{name}: nothing was checked")


@case
@in_scratch
def live_line(place):
    """check: on a terminal a live line shows states and rate, what is open, what was new, how many branches are done; a narrow one less"""
    for columns, line in ((200, rb"\d+ states.*transitions.*revisited.*\d+ open, \d+ % new.*% of the first branches done, .* s\r"),
                          (80, rb"K\d[\d ]* states \([\d ]+/s\), depth \d+, \d+ open, \d+ % new, [\d.e-]+ % done, [\d.:]+( s)?\r")):
        master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
        # Long enough that it cannot end before it is looked at.
        process = subprocess.Popen([harness.heddle_path(), "check", "--", program("philosophers.c"), "13"],
                                   cwd=place.path, stdin=subprocess.DEVNULL, stdout=slave, stderr=slave)
        os.close(slave)
        text, end = b"", time.monotonic() + 60
        while time.monotonic() < end and not re.search(line, text):
            if select.select([master], [], [], 0.2)[0]:
                text += os.read(master, 4096)
        process.send_signal(signal.SIGINT)
        while True:
            try:
                if not os.read(master, 4096):
                    break
            except OSError:
                break
        os.close(master)
        expect(process.wait(30) == 3, f"exit {process.returncode}")
        expect(re.search(line, text), text[-1000:])


@case
@in_scratch
def never_revisited(place):
    """check: where no state ever comes twice, a note says so and why"""
    run = place.check("--max-states", "30000", "--", program("grows.c"), status=3)
    expect(run.result["revisited"] == 0 and "note: no state was ever reached twice" in run.err, run.tail)
    run = place.check("--max-states", "30000", "--por", "off", "--", program("philosophers.c"), "8", status=3)
    expect("reached twice" not in run.err, run.tail)


@case
@in_scratch
def threads_by_number(place):
    """check: a violation tells of its threads by number, those that have ended too; who only waits to join comes last"""
    run = place.check("--", program("abandons.c"), status=1)
    threads = re.findall(r"^  thread (\d+)", run.err, re.M)
    expect(threads == ["1", "2", "3"], run.err)
    run = place.check("--", program("stories/forks.c"), status=1)
    expect(re.findall(r"^  thread (\d+)", run.err, re.M) == ["2", "3", "4", "1"], run.err)


@case
@in_scratch
def invariant_over_a_copied_variable(place):
    """check: a library's variable that ld.so has copied into the program is looked at there; suggestions are the program's"""
    (place.path / "lib.c").write_text("int level = 1;\nvoid raise_level(void) { level++; }\n")
    (place.path / "uses.c").write_text("extern int level;\nvoid raise_level(void);\nint own_level;\n"
                                       "int main(void) { raise_level(); own_level = level; return 0; }\n")
    for name, options in (("pie", ["-fpie", "-pie"]), ("fixed", ["-fno-pie", "-no-pie"])):
        for line in (["-shared", "-fPIC", "-o", "liblevel.so", "lib.c"],
                     [*options, "-o", name, "uses.c", "-L.", "-llevel", f"-Wl,-rpath,{place.path}"]):
            subprocess.run(["gcc", "-g", *line], cwd=place.path, check=True)
        run = place.check("--invariant", "level < 2", "--", place.path / name, status=1)
        expect("level = 2" in run.result["violations"][0]["message"], run.result["violations"])
        place.check("--invariant", "level < 3", "--", place.path / name, status=0)
    run = place.heddle("check", "--invariant", "own_levle == 0", "--", place.path / "pie", status=2)
    expect("did you mean own_level?" in run.err, run.tail)
    run = place.heddle("check", "--invariant", "nosuch == 0", "--", place.path / "pie", status=2)
    expect("did you mean" not in run.err, run.tail)
