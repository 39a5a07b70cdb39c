"""The same command gives the same counts: twice, elsewhere, with another environment."""

import os
import pathlib
import shutil
import subprocess

import harness
from support import case, counts, expect, in_scratch, program

SUBJECTS = (("philosophers.c", ["5"]), ("cond_buffer.c", ["right"]), ("cxx_containers.cpp", []), ("file_threads.c", []),
            ("rust_mutex.rs", []), ("mutex_try_observes.c", []), ("time_sleep_order.c", []))


@case
@in_scratch
def same_twice(place):
    """repeat: the same counts and fingerprint twice"""
    for name, args in SUBJECTS:
        first, second = (place.check("--", program(name), *args, status=0) for _ in range(2))
        expect(counts(first) == counts(second), f"{name}: {counts(first)} and {counts(second)}")
        expect(first.result["initial_fingerprint"] == second.result["initial_fingerprint"], f"{name}: fingerprint")


@case
@in_scratch
def same_elsewhere(place):
    """repeat: the same counts and fingerprint from another directory"""
    other = place.path / "a" / "much" / "longer" / "path" / "to" / "somewhere" / "else"
    other.mkdir(parents=True)
    for name, args in SUBJECTS:
        first = place.check("--", program(name), *args, status=0)
        second = place.check("--", program(name), *args, status=0, cwd=other)
        expect(counts(first) == counts(second), f"{name}: {counts(first)} and {counts(second)}")
        expect(first.result["initial_fingerprint"] == second.result["initial_fingerprint"], f"{name}: fingerprint")


@case
@in_scratch
def same_with_other_environment(place):
    """repeat: the same counts with another environment"""
    for name, args in SUBJECTS:
        first = place.check("--", program(name), *args, status=0)
        bare = {"PATH": os.environ["PATH"]}
        full = {**os.environ, "SOMETHING": "x" * 3000, "LANG": "C.UTF-8", "OTHER": "1"}
        for env in (bare, full):
            second = place.check("--", program(name), *args, status=0, env=env)
            expect(counts(first) == counts(second), f"{name}: {counts(first)} and {counts(second)}")


@case
@in_scratch
def fingerprint_verb(place):
    """repeat: heddle fingerprint gives the fingerprint of result.json, each time"""
    for name, args in SUBJECTS[:3]:
        command = ["fingerprint", "--", program(name), *args]
        prints = {place.heddle(*command, status=0).out for _ in range(3)}
        prints |= {place.heddle(*command, status=0, cwd="/").out}
        expect(len(prints) == 1, f"{name}: {prints}")
        run = place.check("--", program(name), *args, status=0)
        expect(prints == {run.result["initial_fingerprint"] + "\n"}, f"{name}: {prints}, {run.result['initial_fingerprint']}")


@case
@in_scratch
def different_programs_differ(place):
    """repeat: another argument is another fingerprint"""
    prints = {place.heddle("fingerprint", "--", program("philosophers.c"), n, status=0).out for n in "345"}
    expect(len(prints) == 3, prints)


@case
@in_scratch
def found_in_path(place):
    """repeat: a program found through PATH is the same as by its path"""
    directory = pathlib.Path(program("philosophers.c")).parent
    env = {**os.environ, "PATH": f"{directory}:{os.environ['PATH']}"}
    first = place.check("--", program("philosophers.c"), "4", status=0)
    second = place.check("--", pathlib.Path(program("philosophers.c")).name, "4", status=0, env=env)
    expect(counts(first) == counts(second), f"{counts(first)} and {counts(second)}")


@case
@in_scratch
def seed_of_the_program(place):
    """repeat: --random-seed changes the program's random numbers, reproducibly"""
    def outcome(*options):
        return place.check(*options, "--", program("random_numbers.c"), "one", status=0).result["outcomes"]
    expect(outcome() == outcome(), "not reproducible")
    expect(outcome("--random-seed", "7") == outcome("--random-seed", "7") != outcome(), "the seed does nothing")


@case
@in_scratch
def runs_in_place(place):
    """repeat: heddle runs from its build folder by any path, also through a link"""
    link = place.path / "bin"
    link.mkdir()
    (link / "heddle").symlink_to(harness.heddle_path())
    for command in ([link / "heddle"], [os.path.relpath(harness.heddle_path(), place.path)]):
        done = subprocess.run([*command, "check", "--quiet", "--out", "o", "--", program("mutex_counter.c")], cwd=place.path,
                              stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False)
        expect(done.returncode == 0, f"{command}: {done.returncode} {done.stderr}")
    shutil.rmtree(place.path / "o")
