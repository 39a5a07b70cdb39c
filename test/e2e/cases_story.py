"""What a violation tells: the paragraph from its shape, names from DWARF, values that changed."""

import json
import os
import re

from support import case, expect, harness, in_scratch, program

# program, its arguments: what the paragraph has to say, and what it must not
SHAPES = {
    "a circle of two locks": ("transfer.c", [], [
        r"thread 2 \(alice\) holds a\[1\]\.m, locked at transfer.c:\d+ in step #\d+, and waits for b->m",
        r"thread 3 \(bob\) holds b->m", "in opposite order", r"Thread 1 only waits for thread 2 \(alice\) to end\.$"]),
    "a circle of three locks in an array on the heap": ("forks.c", [], [
        r"thread 2 holds forks\[0\], .* waits for forks\[1\]", r"and thread 4 holds forks\[2\]", "in one fixed order"]),
    "a signal before the wait": ("early_signal.c", [], [
        r"looks like a lost wake-up: thread 2 signalled condition variable c in step #\d+ at early_signal.c:12, when nobody waited",
        "Thread 1 began to wait after that", "has to test, with the mutex held"]),
    "a signal without the mutex": ("no_mutex.c", [], ["lost wake-up: thread 2 signalled", "sent without the mutex of the wait"]),
    "a signal for one of two": ("one_signal.c", [], [r"nobody is left who could wake it", "woke another thread: a signal wakes one"]),
    "a signal that was used up": ("used_up.c", [], [
        r"waits on condition variable r\.not_full at used_up.c:\d+, which nobody signals in this execution",
        r"waits on condition variable r\.not_empty at used_up.c:\d+, and nobody is left who could signal it", "!lost wake-up"]),
    "two pipes": ("two_pipes.c", [], [
        r"^Thread 1, at two_pipes.c:\d+, waits to read from the pipe 5 <- 6, which is empty, and nobody is left",
        "A reader of an empty pipe sees its end only when all who could write have closed it.$"]),
    "a mutex in freed memory": ("late_lock.c", [], [
        r"given back before, in closer \(late_lock.c:\d+\) \(it came from main \(late_lock.c:\d+\)\), and thread 2 still uses it"]),
    "a thread that looks for ever": ("spins.c", [], [r"^Thread 2 at spins.c:\d+ goes round for ever", "!Nobody is blocked"]),
    "a panic in a thread": ("panics.rs", [], [r"^The first panic was in thread [23], after its step #\d+"]),
    "a wait without a loop": ("no_loop.c", [], [
        r"Last changed: .*\(items: 1 → 0\)", r"came back from its wait in step #\d+", "had the mutex", "a wait belongs in a loop"]),
    "a lock whose holder has ended": ("gone.c", ["forget"], ["has ended without unlocking it", "nobody can unlock it any more"]),
    "a lock taken twice": ("gone.c", ["again"], ["which it holds already, since step", "it waits for itself"]),
    "a join with the lock held": ("gone.c", ["join"], [
        r"thread 1 holds m, locked at gone.c:\d+ in step #\d+, and waits at gone.c:\d+ for the end of thread 2",
        r"thread 2 waits for m at", "!only waits", "!opposite order"]),
    "a semaphore that nobody can post": ("nested.c", [], [
        r"Thread 2 waits for semaphore items at nested.c:\d+, which is 0 \(posted 0 times and passed 0 times in this execution\)",
        "Meanwhile it holds outer, for which thread 3 waits at nested.c"]),
    "a descriptor closed by another": ("closed.c", [], [r"Thread 2 uses descriptor \d+ in step #\d+", "after thread 1 has closed it"]),
    "a check that came too early": ("lost_update.c", [], [
        r"Last changed: thread \d in step #\d+ at lost_update.c:18 \(plane.sold: 1 → 2\); before that .*\(plane.sold: 0 → 1\)"]),
    "a null pointer": ("reload.c", ["null"], [r"settings, which stands in that line, was set to NULL by thread 2 in step #\d+ at reload.c:"]),
    "a block freed twice": ("reload.c", ["twice"], [
        r"given back before, in drop \(reload.c:\d+\) \(it came from main \(reload.c:\d+\)\), and thread \d frees it again at reload.c"]),
    "members of C++ objects": ("bank.cpp", [], [r"holds bank\.accounts\[0\]\.lock", r"waits for bank\.accounts\[1\]\.lock"]),
    "a Rust mutex": ("ledger.rs", [], [
        r"holds left \(Mutex<ledger::Account>\), locked at ledger.rs:10", r"waits for right \(Mutex<ledger::Account>\)"]),
}


def paragraph_says(run, wanted):
    text = run.result["violations"][0]["explanation"]
    for pattern in wanted:
        absent = pattern.startswith("!")
        expect(bool(re.search(pattern.lstrip("!"), text)) != absent, f"{pattern} in: {text}")
    told = " ".join(run.err.split())
    expect(text in told, f"the terminal does not tell it: {told}")


def register(name, source, arguments, wanted):
    def function(place):
        run = place.check("--", program(f"stories/{source}"), *arguments, status=1)
        paragraph_says(run, wanted)
        shown = place.heddle("show", place.path / "out" / "violation-1.trace", status=0)
        expect(run.result["violations"][0]["explanation"] in " ".join(shown.out.split()), shown.tail)
    function.__doc__ = f"story: {name}"
    case(in_scratch(function))


for title, (file, words, patterns) in SHAPES.items():
    register(title, file, words, patterns)


@case
@in_scratch
def instrumented(place):
    """story: of a data race the lock that one side lacks; of freed memory who freed it"""
    binary = place.path / "racy"
    place.heddle("cc", "-g", "-O1", harness.ROOT / "test" / "e2e" / "stories" / "racy.c", "-o", binary, "-pthread", status=0)
    run = place.check("--", binary, "race", status=1)
    paragraph_says(run, [r"access stats->hits at the same time", "Thread [12] holds m; thread [12] holds no lock: that is the missing one"])
    expect("stats->hits" in run.result["violations"][0]["message"], run.result["violations"])
    run = place.check("--races", "ignore", "--", binary, "free", status=1)
    paragraph_says(run, [r"given back before, in reader \(racy.c:\d+\) \(it came from main \(racy.c:\d+\)\)", "still uses it at racy.c"])


@case
@in_scratch
def changed_values(place):
    """story: what each step changed: globals, members on the heap, locals; and what it did in passing"""
    place.check("--", program("stories/transfer.c"), status=1)
    trace = place.path / "out" / "violation-1.trace"
    shown = place.heddle("show", trace, status=0).out
    for text in ("p.c.n: 3 → 4", "started: 0 → 1", "b->balance: 100 → 80", "there.from->balance: 100 → 90", "then unlocks mutex p.c.m",
                 "then creates thread 2"):
        expect(text in shown, f"{text} is not in\n{shown}")
    expect("0x1" not in shown, f"an address is left in\n{shown}")
    replayed = place.heddle("replay", trace, status=1).out
    expect("b->balance: 100 → 80" in replayed and "then unlocks mutex p.c.m" in replayed, replayed)


@case
@in_scratch
def about_to_lock(place):
    """story: who could take a free lock is about to lock it and does not wait"""
    run = place.check("--", program("stories/lost_update.c"), status=1)
    expect("waits for mutex" not in run.err, run.tail)
    run = place.check("--", program("stories/closed.c"), status=1)
    expect("waits to join thread 2" in run.err, run.tail)


@case
@in_scratch
def panic_has_a_place(place):
    """story: the place of a Rust panic is that of the violation, for people, editors and code hosts"""
    env = {**os.environ, "GITHUB_WORKSPACE": str(harness.ROOT)}
    run = place.check("--format", "sarif", "--format", "github", "--", program("stories/panics.rs"), status=1, env=env)
    expect(re.search(r"^\S*panics.rs:12: error: assert: the program panicked at", run.err, re.M), run.tail)
    expect(run.result["violations"][0]["where"] == "panics.rs:12", run.result["violations"])
    expect("thread 1, runs panic()" not in run.err, run.tail)
    expect(re.search(r"^::error file=test/e2e/stories/panics.rs,line=12,", run.out, re.M), run.out)
    region = json.loads((place.path / "out/result.sarif").read_text())["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    expect(region["region"]["startLine"] == 12 and region["artifactLocation"]["uri"].endswith("panics.rs"), region)


@case
@in_scratch
def libraries_are_left_out(place):
    """story: where a thread stands is told in the user's code; the line below a std::mutex is of no interest"""
    run = place.check("--", program("stories/bank.cpp"), status=1)
    expect("gthr-default.h" not in run.err and re.search(r"now: waits for mutex.*\n +\S.*\(bank.cpp:\d+\)", run.err), run.tail)


@case
@in_scratch
def length_is_told_once(place):
    """story: an execution that was found as short as it is was not shortened"""
    run = place.check("--", program("stories/transfer.c"), status=1)
    one = run.result["violations"][0]
    expect(("and shortened" in run.err) == (one.get("steps_found", 0) > one["steps"]), f"{one}\n{run.tail}")


@case
@in_scratch
def one_race_between_two_lines(place):
    """story: --keep-going tells of a race between two lines once, whichever of n++'s two accesses meet; other variables are others"""
    source = place.path / "twice.c"
    source.write_text("#include <pthread.h>\nint n, other;\n"
                      "static void *one(void *arg)\n{\n\tn++; other++;\n\treturn arg;\n}\n"
                      "static void *two(void *arg)\n{\n\tn++; other++;\n\treturn arg;\n}\n"
                      "int main(void)\n{\n\tpthread_t t[2];\n\tpthread_create(&t[0], NULL, one, NULL);\n\tpthread_create(&t[1], NULL, two, NULL);\n"
                      "\tfor (int i = 0; i < 2; i++)\n\t\tpthread_join(t[i], NULL);\n\treturn 0;\n}\n")
    place.heddle("cc", "-g", "-O1", source, "-o", place.path / "twice", "-pthread", status=0)
    run = place.check("--keep-going", "--", place.path / "twice", status=1)
    raced = sorted(re.search(r"about to \w+ (\w+) ", v["message"])[1] for v in run.result["violations"])
    expect(raced == ["n", "other"], run.result["violations"])
    names = sorted(p.name for p in (place.path / "out").glob("*.trace"))
    expect(names == ["violation-1.trace", "violation-2.trace"], names)
