"""Random talkers: what heddle finds, in every mode of the cache, against what an enumeration of all orders finds."""

import pathlib
import re
import sys

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE / "brute"))

import generate  # noqa: E402
import harness  # noqa: E402
import model  # noqa: E402

PROGRAMS = 30
STATE_LIMIT = 3000
MODES = [["--cache", "branching"], ["--cache", "branching", "--strategy", "bfs"], ["--cache", "none"], ["--cache", "linear"]]
NONE_STATES = 200  # mode none replays after every step back: small programs only


def options_for(program, peer):
    options = ["--keep-going", "--quiet", "--client-order", "given"]
    for number, name in enumerate(program.servers):
        options += ["--server", f"{peer} listen {{port:{7000 + number}}} {model.PEERS[name][1]}"]
    for name in program.clients:
        options += ["--client", f"{peer} connect {{port}} {model.PEERS[name][1]}"]
    return options


def is_chain(traces):
    """Each is the beginning of the next: what a linear cache can hold."""
    ordered = sorted(traces, key=len)
    return all(longer.startswith(shorter) for shorter, longer in zip(ordered, ordered[1:]))


def connections_needed(program, truth):
    """Physical connections of the branching cache: one for each way to the end of a tree; and as many as are open at once. None: tokens that
    are beginnings of others may make it poll at places in between."""
    if {"2", "4"} <= set(re.findall(r"w\d(\d)", " ".join(program.threads))):
        return None
    total = 0
    for server in set(program.connections):
        mine = [i for i, s in enumerate(program.connections) if s == server]
        total += max(model.leaves(set().union(*(truth.traces["c", i] for i in mine))), len(mine))
    return total + sum(model.leaves(t) for (kind, _), t in truth.traces.items() if kind == "a")


def differences(program, truth, run, mode):
    """None, or how heddle and the enumeration differ."""
    if run.status is None or run.result is None:
        return f"exit {run.status}, no result"
    verdict, found = run.result["verdict"], set(run.result["outcomes"])
    kinds = sorted({v["kind"] for v in run.result["violations"]})
    if mode == "linear" and not all(map(is_chain, truth.traces.values())):
        return None if verdict in ("incomplete", "violation") and found <= truth.outcomes else f"{verdict} of what linear can't hold"
    if verdict != ("violation" if truth.stuck else "verified") or kinds != (["comm-deadlock"] if truth.stuck else []):
        return f"verdict {verdict} {kinds} ({run.result.get('reason')}), expected {'comm-deadlock' if truth.stuck else 'verified'}"
    if found != truth.outcomes:
        return f"outcomes: missing {sorted(truth.outcomes - found)}, extra {sorted(found - truth.outcomes)}"
    if run.result["end_states"] != truth.ends:
        return f"{run.result['end_states']} end states, expected {truth.ends}"
    needed = connections_needed(program, truth)
    if mode == "branching" and needed is not None and run.result["cache"]["connections"] != needed:
        return f"{run.result['cache']['connections']} connections, expected {needed}"
    return None


def check(job):
    """Yields (name, why) for each mode."""
    number, binary, peer = job
    program, truth = generate.choose(number, STATE_LIMIT)
    words = [binary, "".join(map(str, program.connections)) or "-", *program.threads]
    results = []
    for mode in MODES:
        if mode[1] == "none" and truth.states > NONE_STATES:
            continue
        run = harness.heddle_check(words, [*options_for(program, peer), *mode])
        why = differences(program, truth, run, mode[1])
        results.append((f"talkers {number} {' '.join(mode[1:])} {truth.states}", why and f"{why}\n{run.tail()}"))
    return results


def cases(binary, peers, pattern):
    """(name, why) of everything."""
    jobs = [(n, binary, peers["peer"]) for n in range(PROGRAMS) if re.search(pattern, f"talkers {n} ")]
    for results in harness.in_parallel(check, jobs):
        yield from results
