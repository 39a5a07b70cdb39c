"""Speed beside an earlier commit, in one run: both take turns on the same programs, so that what else the machine
does hits both alike. The figure that counts is the median over all turns of (CPU time then / CPU time now)."""
import os
import statistics
import subprocess

TARGETS = ["heddle", "libheddle-rt.so", "libheddle-hooks.a"]


def git(root, *args):
    done = subprocess.run(["git", "-C", str(root), *args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
                          check=False)
    if done.returncode:
        raise SystemExit(f"git {' '.join(args)}: {done.stderr.strip()}")
    return done.stdout.strip()


def build(root, commit, out):
    """The command of that commit, built in a work tree of its own; a second run finds it there."""
    commit = git(root, "rev-parse", "--verify", commit + "^{commit}")
    tree = out / "against" / commit[:12]
    folder = tree / "build"
    if not tree.exists():
        git(root, "worktree", "prune")
        git(root, "worktree", "add", "--detach", str(tree), commit)
    env = {k: v for k, v in os.environ.items() if k not in ("HEDDLE_BUILD", "HEDDLE", "HEDDLE_RUNTIME")}
    if not (folder / "build.ninja").exists():
        subprocess.run(["meson", "setup", str(folder), str(tree)], env=env, stdout=subprocess.DEVNULL, check=True)
    subprocess.run(["ninja", "-C", str(folder), *TARGETS], env=env, stdout=subprocess.DEVNULL, check=True)
    return str(folder / "heddle")


def full_search(heddle):
    """The words that turn the reduction off: counts are compared, and a commit before it has none to turn off."""
    done = subprocess.run([heddle, "help", "check"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=True)
    return ["--por", "off"] if "leave out orders" in done.stdout else []


def per_transition(result):
    return result["cpu_s"] / result["transitions"]


def take_turns(check, then, now, turns):
    """Results of both, in pairs; who goes first changes each time."""
    pairs = []
    for turn in range(turns):
        first, second = (then, now) if turn % 2 == 0 else (now, then)
        results = {command: check(command) for command in (first, second)}
        pairs.append((results[then], results[now]))
    return pairs


def compare(label, check, then, now, turns):
    """One row of the table."""
    pairs = take_turns(check, then, now, turns)
    ratios = sorted(per_transition(a) / per_transition(b) for a, b in pairs)
    speeds = [round(1 / statistics.median(per_transition(p[side]) for p in pairs)) for side in (0, 1)]
    counts = {(r["states"], r["transitions"]) for p in pairs for r in p}
    return {
        "program": label, "then": speeds[0], "now": speeds[1], "ratio": round(statistics.median(ratios), 3),
        "lowest": round(ratios[0], 3), "highest": round(ratios[-1], 3),
        "same counts": "yes" if len(counts) == 1 else "NO",
    }
