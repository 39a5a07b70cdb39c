"""Bad input: one clear sentence, exit 2, no half-written results."""

import json
import os
import pathlib
import shutil
import struct
import subprocess

import harness
from support import Skip, case, expect, in_scratch, one_sentence, program

ELF32 = b"\x7fELF\x01\x01\x01" + bytes(9) + struct.pack("<HHI", 2, 3, 1) + bytes(100)


def elf64(machine=62, kind=2):
    return b"\x7fELF\x02\x01\x01" + bytes(9) + struct.pack("<HHI", kind, machine, 1) + bytes(100)


def executable(place, name, content, mode=0o755):
    path = place.path / name
    path.write_bytes(content)
    path.chmod(mode)
    return path


def rejected(place, pattern, *arguments, env=None):
    run = place.heddle(*arguments, status=2, env=env)
    one_sentence(run, pattern)
    expect(not (place.path / "heddle-out" / "result.json").exists(), "a result was written")


@case
@in_scratch
def no_program(place):
    """input: no verb, no program, nothing after --"""
    rejected(place, "what to do|usage")
    rejected(place, "program", "check")
    rejected(place, "program", "check", "--")
    rejected(place, "program", "check", "--max-states", "3", "--")
    rejected(place, "empty|program", "check", "--", "")


@case
@in_scratch
def missing_program(place):
    """input: a program that is not there"""
    rejected(place, "No such file", "check", "--", "./nothing-here")
    rejected(place, "PATH", "check", "--", "no-such-program-anywhere")


@case
@in_scratch
def directory(place):
    """input: a directory"""
    rejected(place, "directory", "check", "--", "/tmp")


@case
@in_scratch
def not_executable(place):
    """input: a file without execute permission"""
    rejected(place, "executable", "check", "--", executable(place, "plain", b"text", 0o644))


@case
@in_scratch
def device(place):
    """input: a device file"""
    rejected(place, "regular|executable", "check", "--", "/dev/null")


@case
@in_scratch
def script(place):
    """input: a script is named as such, with its interpreter"""
    rejected(place, "script.*sh", "check", "--", executable(place, "script", b"#!/bin/sh\ntrue\n"))


@case
@in_scratch
def text_file(place):
    """input: an executable text file, an empty file"""
    rejected(place, "ELF", "check", "--", executable(place, "text", b"hello"))
    rejected(place, "ELF", "check", "--", executable(place, "empty", b""))


@case
@in_scratch
def bits32(place):
    """input: a 32-bit program"""
    rejected(place, "32-bit", "check", "--", executable(place, "old", ELF32))


@case
@in_scratch
def other_machine(place):
    """input: a program for another machine"""
    rejected(place, "machine", "check", "--", executable(place, "arm", elf64(machine=183)))


@case
@in_scratch
def damaged_program(place):
    """input: truncated and damaged ELF files"""
    whole = pathlib.Path(program("mutex_counter.c")).read_bytes()
    for size in (20, 63, 64, 100, 400):
        rejected(place, "damaged|ELF|static|linked", "check", "--", executable(place, f"cut{size}", whole[:size]))
    wild = bytearray(whole)
    wild[32:40] = b"\xff" * 8
    rejected(place, "damaged", "check", "--", executable(place, "wild", bytes(wild)))


@case
@in_scratch
def object_file(place):
    """input: an object file"""
    rejected(place, "object", "check", "--", executable(place, "part.o", elf64(kind=1)))


@case
@in_scratch
def static_program(place):
    """input: a statically linked program"""
    source = place.path / "s.c"
    source.write_text("int main(void) { return 0; }\n")
    for flags in (["-static"], ["-static-pie"]):
        done = subprocess.run(["gcc", *flags, "-o", "s", "s.c"], cwd=place.path, capture_output=True, check=False)
        if done.returncode:
            raise Skip("no static libc here")
        rejected(place, "static", "check", "--", "./s")


@case
@in_scratch
def set_uid(place):
    """input: a set-uid program"""
    path = place.path / "suid"
    shutil.copy(program("mutex_counter.c"), path)
    path.chmod(0o4755)
    rejected(place, "set-uid", "check", "--", path)


@case
@in_scratch
def unreadable(place):
    """input: a program that may be executed but not read"""
    if os.geteuid() == 0:
        raise Skip("root can read everything")
    path = place.path / "secret"
    shutil.copy(program("mutex_counter.c"), path)
    path.chmod(0o111)
    rejected(place, "read", "check", "--", path)


@case
@in_scratch
def options(place):
    """input: unknown options and wrong values"""
    target = ["--", program("mutex_counter.c")]
    rejected(place, "--no-such-option", "check", "--no-such-option", *target)
    rejected(place, "-Z|unknown", "check", "-Z", *target)
    for option, value in (("--max-states", "many"), ("--max-states", "-3"), ("--max-time", "soon"), ("--strategy", "best"),
                          ("--max-memory", "12Q"), ("--sanity", "4"), ("--format", "pdf"), ("--seed", ""),
                          ("--stdin", "/no/such/file"), ("--env", "novalue"), ("-j", "0"),
                          ("--max-states", "99999999999999999999999")):
        rejected(place, option, "check", option, value, *target)
    rejected(place, "--max-states", "check", "--max-states")
    rejected(place, "unknown", "frobnicate")
    rejected(place, "help", "help", "frobnicate")


@case
@in_scratch
def out_folder(place):
    """input: a results folder that cannot be"""
    (place.path / "file").write_text("in the way")
    for out in ("file", "file/below", "no/such/parent", "/proc/heddle"):
        rejected(place, "--out", "check", "--out", out, "--", program("mutex_counter.c"))


@case
@in_scratch
def full_disk(place):
    """input: a full disk is an error with its name, not a result"""
    disk = place.path / "disk"
    disk.mkdir()
    if subprocess.run(["mount", "-t", "tmpfs", "-o", "size=16k", "none", disk], capture_output=True, check=False).returncode:
        raise Skip("no permission to mount")
    try:
        try:
            (disk / "filler").write_bytes(bytes(1 << 20))
        except OSError:
            pass
        run = place.heddle("check", "--no-progress", "--out", disk, "--", program("talks.c"), status=2)
        expect("No space left" in run.err, run.tail)
        result = disk / "result.json"
        expect(not result.exists() or json.loads(result.read_text()), "half a result.json was left")
    finally:
        subprocess.run(["umount", disk], check=True)


@case
@in_scratch
def full_output(place):
    """input: output to a full device is no crash"""
    with open("/dev/full", "w", encoding="ascii") as full:
        done = subprocess.run([harness.heddle_path(), "check", "--", program("mutex_counter.c")], cwd=place.path, check=False,
                              stdin=subprocess.DEVNULL, stdout=full, stderr=full)
    expect(done.returncode in (0, 2), f"exit {done.returncode}")


@case
@in_scratch
def damaged_trace(place):
    """input: missing, empty, cut and altered traces, for replay and show"""
    good = place.trace("--", program("talks.c"))
    text = good.read_text()
    bad = place.path / "bad.trace"
    expect('"heddle_trace": 1' in text, "the version of traces has another name; this test wants to know it")
    for verb in ("replay", "show"):
        rejected(place, "No such file|missing|open", verb, place.path / "no.trace")
        for damage in ("", "{", "[]", "null", "\x00\x01\x02", text[:len(text) // 2], text[:-2],
                       text.replace('"heddle_trace": 1', '"heddle_trace": 99')):
            bad.write_text(damage)
            rejected(place, "bad.trace", verb, bad)


@case
@in_scratch
def wrong_types_in_trace(place):
    """input: a trace whose members have wrong types or are missing"""
    good = json.loads(place.trace("--", program("talks.c")).read_text())
    bad = place.path / "bad.trace"
    for key in good:
        for value in (None, 7, "x", [], {"a": [1]}, -1):
            if type(value) is type(good[key]) and not isinstance(value, (list, dict)):
                continue
            bad.write_text(json.dumps({**good, key: value}))
            run = place.heddle("show", bad)
            expect(run.status in (0, 2), f"{key} = {value!r}: exit {run.status}\n{run.tail()}")
        bad.write_text(json.dumps({k: v for k, v in good.items() if k != key}))
        run = place.heddle("replay", bad)
        expect(run.status in (0, 1, 2), f"without {key}: exit {run.status}\n{run.tail()}")


@case
@in_scratch
def scenario_errors(place):
    """input: mistakes in a scenario file are told with file and line"""
    path = place.path / "heddle.yaml"
    for text, pattern in (("limits:\n  sates: 5\n", r"heddle\.yaml:2"), ("strategy: best\n", r"heddle\.yaml:1"),
                          ("- just\n- a list\n", r"heddle\.yaml"), ("a: [unclosed\n", r"heddle\.yaml"),
                          ("no-such-option: 3\n", r"heddle\.yaml:1")):
        path.write_text(text)
        rejected(place, pattern, "check", "-f", path, "--", program("mutex_counter.c"))
    rejected(place, "nothing.yaml", "check", "-f", "nothing.yaml", "--", program("mutex_counter.c"))


@case
@in_scratch
def words_from_elsewhere(place):
    """input: verbs of other tools, misspelt topics, files that are not there: what was meant"""
    (place.path / "folder").mkdir()
    for words, said in (("run ./x", "did you mean heddle check -- PROGRAM"), ("debug", "heddle replay TRACE --gdb"), ("--verison", "heddle --version"),
                        ("help chekc", "did you mean heddle help check"), ("-j 4 check", "options of a verb come after it"),
                        ("replay nothing", "nothing cannot be read: No such file.*heddle-out/violation-1.trace"),
                        ("check -f folder", "folder is a folder; give the file in it"), ("init -- ./nothing", "is the path right")):
        one_sentence(place.heddle(*words.split(), status=2), said)
