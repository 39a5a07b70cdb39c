"""What comes along with heddle: installed files, completions, CMake, Meson, pytest."""

import fnmatch
import os
import pathlib
import re
import shutil
import subprocess
import sys

import harness
from support import Skip, case, expect, in_scratch, program

INSTALLED = """bin/heddle bin/heddle-c++ bin/heddle-cc include/heddle/heddle.h lib/cmake/heddle/heddle-config.cmake lib/heddle/cxx/bits/c++config.h
lib/heddle/heddle-builtins.h lib/heddle/heddle-gdb.py lib/heddle/libheddle-hooks.a lib/heddle/libheddle-peer.so lib/heddle/libheddle-rt.so share/bash-completion/completions/heddle
share/doc/heddle/GLOSSARY.md share/doc/heddle/README.md share/doc/heddle/VERDICTS.md share/doc/heddle/howto/build-systems.md
share/doc/heddle/howto/check-memory.md share/doc/heddle/howto/check-my-program.md share/doc/heddle/howto/ci.md
share/doc/heddle/howto/debian-programs.md share/doc/heddle/howto/library-driver.md share/doc/heddle/howto/network.md
share/doc/heddle/howto/read-a-counterexample.md share/doc/heddle/howto/read-trees.md share/doc/heddle/howto/state-invariants.md
share/doc/heddle/howto/stateful-peers.md share/doc/heddle/result.schema.json
share/fish/vendor_completions.d/heddle.fish share/heddle/pytest_heddle.py share/zsh/site-functions/_heddle""".split()
TOP = harness.ROOT


def run(command, cwd, status=0, **env):
    done = subprocess.run([str(c) for c in command], cwd=cwd, env={**os.environ, **env}, stdin=subprocess.DEVNULL, capture_output=True,
                          text=True, timeout=harness.RUN_TIMEOUT, check=False)
    expect(status is None or done.returncode == status, lambda: f"{command}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout + done.stderr


def need(*commands):
    for one in commands:
        if not shutil.which(one):
            raise Skip(f"no {one} here")


def tool_in(place):
    """A folder with a heddle, for those who look for one in PATH."""
    (place.path / "bin").mkdir()
    (place.path / "bin/heddle").symlink_to(harness.heddle_path())
    return {"PATH": f"{place.path / 'bin'}:{os.environ['PATH']}"}


@case
@in_scratch
def installed_files(place):
    """install: everything that the documentation speaks of is there, and the installed heddle works"""
    need("meson")
    build = harness.heddle_path().parent
    run(["meson", "install", "-C", build, "--no-rebuild", "--destdir", place.path / "root"], TOP)
    [prefix] = [p.parent.parent for p in (place.path / "root").rglob("bin/heddle")]
    there = {str(p.relative_to(prefix)) for p in prefix.rglob("*") if not p.is_dir()}
    missing = [name for name in INSTALLED if name not in there]
    expect(not missing, f"missing: {missing}")
    known = re.compile("|".join(map(re.escape, INSTALLED)) + r"|share/man/man1/heddle[a-z+-]*\.1|lib/heddle/heddle-gcc-plugin\.so|bin/heddle-mpi")
    surplus = [name for name in there if not known.fullmatch(name)]
    expect(not surplus, f"new; add them to the list here and to debian/: {surplus}")
    for name in there:
        of = [str(lists.name) for lists in (TOP / "debian").glob("*.install") for pattern in lists.read_text().split()
              if any(fnmatch.fnmatchcase(f"usr/{part}", pattern) for part in (name, *map(str, pathlib.PurePath(name).parents)))]
        expect(len(of) == 1, f"{name} is in {of or 'no list'} of debian/*.install")
    run([prefix / "bin/heddle", "check", "--no-progress", "--out", place.path / "out", "--", program("mutex_counter.c")], place.path)


def options_of(place, verb):
    """{option: its values, or None} as heddle help VERB tells them."""
    text = place.heddle("help", verb, status=0).out
    return dict(re.findall(r"^ +(?:-[a-z], )?(--[a-z-]+)(?: ([^ \n]+))?", text, re.M))


def verbs_of(place):
    return re.findall(r"^  heddle ([a-z+]+)", place.heddle("help", status=0).out, re.M)


@case
@in_scratch
def man_pages(place):
    """man: every verb has a page that is installed, and every option of it, with its values, is described there"""
    pages = TOP / "docs/man"
    listed = (pages / "meson.build").read_text()
    overview = (pages / "heddle.1.adoc").read_text()
    for page in pages.glob("*.adoc"):
        expect(f"'{page.stem}'" in listed, f"{page.name} is not installed")
        heads = re.findall(r"^==+ .*|^\*[^:\n]*::", page.read_text(), re.M)
        expect(len(heads) == len(set(heads)), f"{page.name} has twice: {sorted(h for h in set(heads) if heads.count(h) > 1)}")
        expect(page.stem == "heddle.1" or f"*{page.stem[:-2]}*(1)" in overview, f"heddle.1.adoc does not point to {page.name}")
    for verb in verbs_of(place):
        if verb == "help":
            continue
        text = (pages / f"heddle-{'cc' if verb == 'c++' else verb}.1.adoc").read_text()
        expect(f"*heddle {verb}*" in text, f"heddle-{verb}.1.adoc has no synopsis")
        for option, values in options_of(place, verb).items():
            entries = "".join(re.findall(rf"^\*[^:\n]*{option}\b[^:\n]*::", text, re.M))
            expect(entries, f"heddle-{verb}.1.adoc does not describe {option}")
            words = re.findall(r"[a-z]+", values) if "|" in values else []
            expect(all(w in entries for w in words), f"heddle-{verb}.1.adoc: {entries} has other values than {values}")


@case
@in_scratch
def completion_bash(place):
    """completion: bash offers all verbs, all options and their values of this heddle"""
    need("bash")

    def offers(*words):
        quoted = " ".join(f"'{w}'" for w in words)
        script = f"""source {TOP}/completion/heddle.bash; compopt() {{ :; }}
            COMP_WORDS=({quoted}); COMP_CWORD=$((${{#COMP_WORDS[@]}} - 1)); _heddle; printf '%s\n' "${{COMPREPLY[@]}}" """
        return run(["bash", "-c", script], place.path, **env).split()
    env = tool_in(place)
    expect(set(verbs_of(place)) <= set(offers("heddle", "")), offers("heddle", ""))
    for verb in ("check", "certify", "replay"):
        options = set(options_of(place, verb)) | {"--"}
        expect(set(offers("heddle", verb, "-")) == options, f"{verb}: {offers('heddle', verb, '-')}")
    expect(offers("heddle", "check", "--strategy", "") == "dfs bfs random pct".split(), "values")
    expect(offers("heddle", "check", "-j", "") == ["auto"], "values of a short option")
    expect(offers("heddle", "check", "--seed", "") == [], "a number")
    (place.path / "program").touch()
    expect("program" in offers("heddle", "check", "-k", "--", "prog"), "the program")


@case
@in_scratch
def completion_fish(place):
    """completion: fish offers verbs and options of this heddle"""
    need("fish")
    def offers(line):
        return run(["fish", "-c", f"source {TOP}/completion/heddle.fish; complete -C '{line}'"], place.path, HOME=str(place.path), **env)
    env = tool_in(place)
    expect(re.search(r"^check\b", offers("heddle che"), re.M), offers("heddle che"))
    text = offers("heddle check --max-")
    expect(all(f"--max-{x}" in text for x in ("states", "time", "memory", "depth")), text)
    expect("--at" in offers("heddle replay --a"), "options of replay")


@case
@in_scratch
def completion_zsh(place):
    """completion: zsh's function finds verbs and options of this heddle"""
    need("zsh")
    run(["zsh", "-n", TOP / "completion/_heddle"], place.path)
    script = f"""
        compdef() {{ }}; _call_program() {{ shift; "$@" }}; _describe() {{ print -l -- "${{(@P)2}}" }}; _files() {{ print files }}
        try() {{ words=("$@"); CURRENT=$#words; source {TOP}/completion/_heddle; }}
        try heddle che; print -- ---; try heddle check --max; print -- ---; try heddle replay x"""
    verbs, options, files = run(["zsh", "-fc", script], place.path, **tool_in(place)).split("---\n")
    expect(re.search(r"^check:", verbs, re.M) and re.search(r"^replay:", verbs, re.M), verbs)
    expect(re.search(r"^--max-states:.*states", options, re.M) and re.search(r"^--keep-going:", options, re.M), options)
    expect(files.strip() == "files", files)


@case
@in_scratch
def cmake(place):
    """cmake: heddle_add_test passes, fails and skips as heddle does"""
    need("cmake", "ctest")
    (place.path / "CMakeLists.txt").write_text("""
cmake_minimum_required(VERSION 3.18)
project(kit NONE)
enable_testing()
find_package(heddle REQUIRED)
heddle_add_test(NAME good COMMAND ${GOOD} 2)
heddle_add_test(NAME bad COMMAND ${BAD})
heddle_add_test(NAME cut COMMAND ${GOOD} 3 OPTIONS --max-states 3)
heddle_add_test(NAME enough COMMAND ${GOOD} 3 OPTIONS --max-states 3 BOUNDED_IS_ENOUGH)
""")
    run(["cmake", "-S", ".", "-B", "b", f"-Dheddle_DIR={TOP}/integration", f"-DGOOD={program('philosophers.c')}",
         f"-DBAD={program('talks.c')}"], place.path, **tool_in(place))
    text = run(["ctest", "--test-dir", "b", "--output-on-failure"], place.path, status=8)
    for pattern in (r"good \.* +Passed", r"bad \.*\*\*\*Failed", r"cut \.*\*\*\*Skipped", r"enough \.* +Passed", "deadlock"):
        expect(re.search(pattern, text), f"no {pattern}:\n{text}")
    expect((place.path / "b/heddle-bad/violation-1.trace").exists(), "no trace")


@case
@in_scratch
def meson_snippet(place):
    """meson: the snippet of docs/howto/build-systems.md works as it stands"""
    need("meson")
    snippet = re.search(r"```meson\n(.*?)```", (TOP / "docs/howto/build-systems.md").read_text(), re.S)[1]
    shutil.copy(pathlib.Path(__file__).parent / "sums.c", place.path / "queue.c")
    (place.path / "meson.build").write_text("project('kit', 'c')\nqueue_test = executable('queue-test', 'queue.c',\n  dependencies: dependency('threads'))\n"
                                            + snippet)
    env = tool_in(place)
    run(["meson", "setup", "b"], place.path, **env)
    text = run(["meson", "test", "-C", "b", "--print-errorlogs"], place.path, status=None, **env)
    expect(re.search(r"Fail: +1\b", text) and "total != 33" in text, text)
    expect((place.path / "b/heddle-queue/result.json").exists(), "no report")


@case
@in_scratch
def pytest_plugin(place):
    """pytest: the fixture fails with the story, and heddle.yaml is a test"""
    pythons = [p for p in (sys.executable, "/usr/bin/python3")
               if subprocess.run([p, "-c", "import pytest"], capture_output=True, check=False).returncode == 0]
    if not pythons:
        raise Skip("no pytest here")
    (place.path / "conftest.py").write_text('pytest_plugins = ["pytest_heddle"]\n')
    (place.path / "test_it.py").write_text(f"""
def test_good(heddle):
    assert heddle.verified({str(program('philosophers.c'))!r}, 2)["states"] > 3
def test_bad(heddle):
    heddle.holds({str(program('talks.c'))!r})
def test_cut(heddle):
    heddle.verified({str(program('philosophers.c'))!r}, 3, options=["--max-states", 3])
def test_enough(heddle):
    heddle.holds({str(program('philosophers.c'))!r}, 3, options=["--max-states", 3])
def test_none(heddle):
    heddle.holds("/nowhere")
""")
    (place.path / "heddle.yaml").write_text(f"sut: [{program('talks.c')}]\n")
    text = run([pythons[0], "-m", "pytest", "-q", "-p", "no:cacheprovider", "--heddle"], place.path, status=1, HEDDLE=str(harness.heddle_path()),
               PYTHONPATH=str(TOP / "integration"), PYTHONDONTWRITEBYTECODE="1")
    expect("4 failed, 2 passed" in text and "heddle: violation 1: deadlock" in text and "not verified (bounded)" in text, text)
