"""The mistakes of a first day with peers: each is one sentence with its remedy, or a note; ^C keeps what was found."""

import json
import pathlib
import signal
import subprocess

import harness
from support import case, expect, in_scratch, marked_environment, one_sentence, processes_with, program, wait_until

EXAMPLES = pathlib.Path(harness.heddle_path()).parent / "examples" / "net"
SERVER = EXAMPLES / "alphabet-server"
PEER = EXAMPLES / "alphabet-peer"


def run_until(place, ready, *arguments):
    """Starts a check, interrupts it as soon as its output folder is `ready`, and gives its exit status and words."""
    out, (mark, env) = place.path / "out", marked_environment()
    process = subprocess.Popen([harness.heddle_path(), "check", "--no-progress", "--out", out, *arguments], cwd=place.path,
                               env=env, text=True, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    wait_until(lambda: ready(out) or process.poll() is not None)
    process.send_signal(signal.SIGINT)
    try:
        err = process.communicate(timeout=60)[1]
    finally:
        process.kill()
    expect(wait_until(lambda: not processes_with(mark)), lambda: f"left behind: {processes_with(mark)}")
    return process.returncode, err


def says(name, word):
    """A peer has written this into its log: it has been started."""
    return lambda out: (out / name).exists() and word in (out / name).read_text()


@case
@in_scratch
def interrupted_at_a_client(place):
    """peers: ^C while a client is waited for is a search that was interrupted, exit 3, with its results"""
    status, err = run_until(place, says("client-1.log", "here"), "--peer-timeout", "10m",
                            "--client", "echo here; sleep 600; : {port}", "--", SERVER, "2626", "1")
    expect(status == 3 and "bounded" in err, f"exit {status}: {err}")
    result = json.loads((place.path / "out" / "result.json").read_text())
    expect(result["verdict"] == "bounded" and "interrupted" in result["reason"], result)


@case
@in_scratch
def interrupted_at_a_server(place):
    """peers: ^C while a server starts says so, exit 2: nothing was explored"""
    status, err = run_until(place, says("server-1.log", "here"), "--peer-timeout", "10m",
                            "--server", "echo here; sleep 600; : {port:7777}", "--", program("asks.c"), "order")
    expect(status == 2 and "interrupted before server 1 was ready" in err, f"exit {status}: {err}")


@case
@in_scratch
def nobody_listens(place):
    """peers: a program that connects where no server is: the port for its command, and the way to mean it"""
    run = place.check("--server", f"{program('answers.c')} {{port:7778}}", "--", program("asks.c"), "order", status=2)
    one_sentence(run, r"connects to 127\.0\.0\.1:7777, and nothing listens there.*\{port:7777\}.*--allow-refused")


def refusals(place, *arguments):
    run = place.check("--server", f"{program('answers.c')} {{port:7777}}", *arguments, status=0)
    return [n for n in run.result["notes"] if "refused" in n]


@case
@in_scratch
def refused_elsewhere(place):
    """peers: connections that were refused while others were not are noted, unless they are allowed to be"""
    closed = ["7", "9"]  # of the first services of all; nobody has them any more
    found = refusals(place, "--", program("knocks.c"), "7777", *closed)
    expect(len(found) == 1 and "to 127.0.0.1:7 and 1 other place were refused" in found[0], found)
    found = refusals(place, "--allow-refused", "--", program("knocks.c"), "7777", *closed)
    expect(not found, found)
    found = refusals(place, "--", program("knocks.c"), "7777")
    expect(not found, found)


@case
@in_scratch
def server_not_used(place):
    """peers: a server that no execution connects to is noted"""
    def found(*ports):
        run = place.check("--server", f"{program('answers.c')} {{port:7777}}", "--", program("knocks.c"), *ports, status=0)
        return any("no execution connects" in n for n in run.result["notes"])
    expect(found(), "no note")
    expect(not found("7777"), "a note, although the program connects")


@case
@in_scratch
def server_too_slow(place):
    """peers: a server that does not listen in time: what it does, and --peer-timeout"""
    run = place.check("--peer-timeout", "300ms", "--server", "sleep 600; : {port:7777}", "--", program("asks.c"), "order",
                      status=2)
    one_sentence(run, r"server 1 did not get ready.*sleep.*--peer-timeout")


@case
@in_scratch
def client_elsewhere(place):
    """peers: a client that goes elsewhere is told where it was expected"""
    run = place.check("--client", "echo not at {port} >&2; exit 4", "--", SERVER, "2626", "1", status=2)
    one_sentence(run, r"without connecting to 127\.0\.0\.1:(\d+), which stands for 127\.0\.0\.1:2626 \(exit status 4\).* not at \1$")


@case
@in_scratch
def client_at_another_port(place):
    """peers: clients that no execution accepts are counted in a note"""
    place.check("--client", f"{PEER} 127.0.0.1 {{port:2627}} 1", "--", SERVER, "2626", "1", status=3)
    run = place.check("--allow-trivial", "--format", "html", "--client", f"{PEER} 127.0.0.1 {{port:2627}} 1", "--", SERVER, "2626", "1", status=0)
    expect(any(n.startswith("1 of 1 clients were never accepted") for n in run.result["notes"]), run.result["notes"])
    page = (place.path / "out" / "report.html").read_text()
    expect("Note: 1 of 1 clients were never accepted" in page and "{port:2627} 1</code>" in page, page)
    run = place.check("--clients", "3", "--client", f"{PEER} 127.0.0.1 {{port}} 1", "--", SERVER, "2626", "1", status=0)
    expect(any(n.startswith("2 of 3 clients were never accepted") for n in run.result["notes"]), run.result["notes"])
    run = place.check("--client", f"{PEER} 127.0.0.1 {{port}} 1", "--", SERVER, "2626", "1", status=0)
    expect(not any("never accepted" in n for n in run.result["notes"]), run.result["notes"])


@case
@in_scratch
def replay_of_a_folder(place):
    """replay: a report folder in the place of a trace is told which file to give"""
    place.trace("--", program("talks.c"))
    one_sentence(place.heddle("replay", "out", status=2), r"out is a folder; .*out/violation-1\.trace")
