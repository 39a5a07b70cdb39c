"""Getting going: heddle init, a scenario that is found, words that are nearly right, what programs lack."""

import os
import pathlib
import pty
import re
import shutil
import subprocess

import harness
from support import case, expect, in_scratch, one_sentence, program


@case
@in_scratch
def init(place):
    """init: writes a heddle.yaml that heddle check finds, here and in folders below; paths count from its place"""
    (place.path / "project/sub/deep").mkdir(parents=True)
    shutil.copy(program("talks.c"), place.path / "project/talks")
    top = place.path / "project"
    one_sentence(place.heddle("check", status=2, cwd=top / "sub"), "no program given, and no heddle.yaml here.*heddle init")
    place.heddle("init", "--", "./talks", 'odd "word"', status=0, cwd=top)
    one_sentence(place.heddle("init", status=2, cwd=top), "heddle.yaml is there already")
    for where in (top, top / "sub" / "deep"):
        run = place.heddle("check", "--no-progress", status=1, cwd=where)
        expect("heddle: taking " in run.err and (where / "heddle-out/result.json").exists(), run.tail)
        expect('"odd \\"word\\""' in (where / "heddle-out/result.json").read_text(), "the arguments are others")
    place.heddle("check", "--no-progress", "-f", "../heddle.yaml", "--out", "there", status=1, cwd=top / "sub")
    one_sentence(place.heddle("init", "./nowhere", status=2, cwd=top / "sub"), "nowhere")
    expect(not (top / "sub/heddle.yaml").exists(), "a file in spite of the error")
    place.heddle("init", status=0, cwd=top / "sub")
    one_sentence(place.heddle("check", status=2, cwd=top / "sub/deep"), "taking ../heddle.yaml|my-program")


@case
@in_scratch
def scenario_paths(place):
    """check: files and programs named in a scenario count from its folder, then from the current one"""
    folder = place.path / "scenarios"
    folder.mkdir()
    shutil.copy(program("talks.c"), folder / "talks")
    (folder / "input").write_text("x")
    (folder / "a.yaml").write_text("sut: ./talks\nstdin: input\nout: results\ngraph: states.dot\n")
    place.heddle("check", "--no-progress", "-f", "scenarios/a.yaml", status=1)
    expect((folder / "results/result.json").exists() and (folder / "states.dot").exists(), os.listdir(folder))
    (folder / "b.yaml").write_text("sut: scenarios/talks\n")  # as seen from where heddle is called
    place.heddle("check", "--no-progress", "-f", "scenarios/b.yaml", status=1)
    (folder / "c.yaml").write_text("sut: ./talks\nlimts: {states: 3}\n")
    one_sentence(place.heddle("check", "-f", "scenarios/c.yaml", status=2), r"c.yaml:2: unknown key limts \(did you mean limits\?\)")
    (folder / "c.yaml").write_text("sut: ./talks\nlimits: {sttes: 3}\n")
    one_sentence(place.heddle("check", "-f", "scenarios/c.yaml", status=2), r"unknown key sttes \(did you mean states\?\)")


@case
@in_scratch
def nearly_right(place):
    """messages: verbs and options that are nearly right are named"""
    for words, meant in ((("chekc",), "heddle check"), (("check", "--max-stats", "3", "x"), "--max-states"), (("replay", "--gbd", "x"), "--gdb"),
                         (("check", "-max-tiem", "3", "x"), "--max-time"), (("tree", "--formt=dot", "x"), "--format")):
        one_sentence(place.heddle(*words, status=2), rf"\(did you mean {meant}\?\)")
    run = place.heddle("frobnicate", status=2)
    expect("did you mean" not in run.err, run.err)
    one_sentence(place.heddle(str(program("talks.c")), status=2), "to explore a program: heddle check -- ")


@case
@in_scratch
def loops_before_main(place):
    """check: --max-time ends a program that never comes to main, wherever it loops"""
    for name, code in (("preinit", "static void (*first)(void) __attribute__((section(\".preinit_array\"), used)) = spin;"),
                       ("constructor", "__attribute__((constructor)) static void first(void) { spin(); }")):
        (place.path / f"{name}.c").write_text(f"static void spin(void) {{ for (;;) __asm__ volatile(\"\"); }}\n{code}\n"
                                              "int main(void) { return 0; }\n")
        subprocess.run(["gcc", "-o", name, f"{name}.c"], cwd=place.path, check=True)
    one_sentence(place.heddle("check", "--max-time", "1", "--", "./preinit", status=2), "does not come to its entry point in time")
    run = place.heddle("check", "--no-progress", "--max-time", "1", "--", "./constructor", status=3)
    expect("the limit of 1 s was reached" in run.out + run.err, run.out + run.err)


@case
@in_scratch
def what_the_program_lacks(place):
    """check: a program without -g gets a hint, one with a sanitizer a sentence"""
    source = pathlib.Path(__file__).parent / "sums.c"
    subprocess.run(["gcc", "-o", place.path / "plain", source, "-pthread"], check=True)
    run = place.check("--", place.path / "plain", status=1)
    expect("no debug information; compile it with -g" in run.err, run.tail)
    expect("debug information" not in place.check("--", program("sums.c"), status=1).err, "a hint in spite of -g")
    for flag in ("address", "thread"):
        done = subprocess.run(["gcc", f"-fsanitize={flag}", "-o", place.path / flag, source, "-pthread"], capture_output=True, check=False)
        if done.returncode == 0:  # the library is there
            one_sentence(place.heddle("check", "--", place.path / flag, status=2), f"built with -fsanitize={flag}")


def on_a_terminal(command, cwd, columns, **environment):
    """What a terminal of this width gets to see on stderr."""
    master, slave = pty.openpty()
    import fcntl, struct, termios  # noqa: E401
    fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 24, columns, 0, 0))
    env = {k: v for k, v in os.environ.items() if k != "NO_COLOR"}
    child = subprocess.Popen(command, cwd=cwd, stderr=slave, env={**env, "TERM": "xterm", **environment})
    os.close(slave)
    seen = b""
    while True:
        try:
            part = os.read(master, 65536)
        except OSError:  # the other end is closed
            break
        seen += part
    child.wait()
    os.close(master)
    return seen.decode().replace("\r", "")


@case
@in_scratch
def colours_and_width(place):
    """check: colours on a terminal, none with NO_COLOR; lines break at words, but the one to copy does not"""
    command = [harness.heddle_path(), "check", "--no-progress", "--out", place.path / "out", "--", program("talks.c")]
    wide = on_a_terminal(command, place.path, 300)
    expect("\033[1;31mheddle: violation 1: " in wide, wide)
    plain = on_a_terminal(command, place.path, 300, NO_COLOR="1")
    expect("\033" not in plain and re.sub(r"\033\[[0-9;]*m", "", wide).split("heddle: V")[0] == plain.split("heddle: V")[0], plain)
    expect("\033" not in on_a_terminal(command, place.path, 300, TERM="dumb"), "colours on a dumb terminal")
    narrow = on_a_terminal(command, place.path, 40, NO_COLOR="1")
    long = [line for line in narrow.split("\n") if len(line) > 40 and "replay: " not in line]
    expect(not long and re.search(r"^  replay: .{40,}violation-1\.trace$", narrow, re.M), long)
    words = lambda text: text.split("granularity")[1].split("replay:")[0].split()  # noqa: E731
    expect(words(narrow) == words(plain), narrow)
