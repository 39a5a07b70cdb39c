"""Programs with a peer, as their reports show it: heddle tree, traces that need no peer, recorded communication."""

import re
import struct

from support import case, expect, in_scratch, one_sentence, program


def check(place, story, *options, **how):
    server = f"{program('answers.c')} {{port:7777}}"
    return place.check("--server", server, *options, "--", program("asks.c"), story, **how)


def packets(path):
    """The packets of a capture file, by their length."""
    data = path.read_bytes()
    magic, _major, _minor, _zone, _sigfigs, _snaplen, network = struct.unpack("=IHHIIII", data[:24])
    expect((magic, network) == (0xA1B2C3D4, 101), f"{magic:x} {network}")
    at, found = 24, []
    while at < len(data):
        length = struct.unpack("=IIII", data[at : at + 16])[2]
        found.append(data[at + 16 : at + 16 + length])
        at += 16 + length
    expect(at == len(data), "the last packet is cut")
    return found


@case
@in_scratch
def tree_text(place):
    """tree: both orders of two writes, and what the peer said to each"""
    run = check(place, "order", status=0)
    expect(run.result["cache"]["branches"] == 2 and run.result["cache"]["trees"] == 1, run.result["cache"])
    text = place.heddle("tree", place.path / "out", status=0).out
    expect("to 127.0.0.1:7777: 2 traces" in text, text)
    expect("way 2 of 2, behind 0 bytes" in text and '< "."' in text and "< end: the peer closed" in text, text)
    expect(text == place.heddle("tree", place.path / "out" / "trees.bin", status=0).out, "the file and the folder differ")


@case
@in_scratch
def tree_formats(place):
    """tree: dot and pcap, to standard output or a file"""
    check(place, "order", status=0)
    dot = place.heddle("tree", "--format", "dot", place.path / "out", status=0).out
    expect(place.heddle("tree", "--format=dot", "out", status=0).out == dot, "--format=dot is another thing than --format dot")
    for spelling in (["-o", "a.dot"], ["-oa.dot"], ["-o=a.dot"], ["--output=a.dot"]):
        place.heddle("tree", "out", "--format=dot", *spelling, status=0)
        expect((place.path / "a.dot").read_text() == dot, spelling)
        (place.path / "a.dot").unlink()
    expect(dot.startswith("digraph") and dot.count("{") == dot.count("}"), dot)
    place.heddle("tree", "out", "--format", "pcap", "-o", "trees.pcap", status=0)
    payloads = [packet[40:] for packet in packets(place.path / "trees.pcap")]
    expect(payloads.count(b".") == 2 and payloads.count(b"A") == 2, payloads)


@case
@in_scratch
def tree_of_nothing(place):
    """tree: no trees, damaged trees and nonsense are one sentence each, exit 2"""
    check(place, "order", status=0)
    trees = place.path / "out" / "trees.bin"
    data = trees.read_bytes()
    trees.write_bytes(data[:-1])
    one_sentence(place.heddle("tree", "out", status=2), "damaged or cut off")
    trees.write_bytes(data[:40] + bytes([data[40] ^ 255]) + data[41:])
    one_sentence(place.heddle("tree", "out", status=2), "damaged")
    trees.unlink()
    one_sentence(place.heddle("tree", "out", status=2), "no trees.bin")
    one_sentence(place.heddle("tree", program("asks.c"), status=2), "no file with communication trees")
    one_sentence(place.heddle("tree", "/nonexistent", status=2), "No such file")
    for wrong in ([], ["a", "b"], ["--format", "png", "out"], ["--format"], ["--format=png", "out"], ["--colour", "out"], ["out", "--", "out"]):
        place.heddle("tree", *wrong, status=2)


@case
@in_scratch
def tree_of_a_run_before(place):
    """check: an earlier run's trees do not stay"""
    check(place, "order", status=0)
    place.check("--", program("mutex_counter.c"))
    expect(not (place.path / "out" / "trees.bin").exists(), "trees.bin of another program")


@case
@in_scratch
def replay_without_peer(place):
    """replay: a trace has what the peer said, and only what it needs"""
    check(place, "wrong", status=1)
    trace = place.path / "out" / "violation-1.trace"
    run = place.heddle("replay", trace, status=1)
    expect("asks.c" in run.out and "assert" in run.out, run.tail)
    text = place.heddle("tree", trace, status=0).out
    expect("to 127.0.0.1:7777: 1 trace\n" in text, text)
    one_sentence(place.heddle("tree", place.trace("--", program("talks.c")), status=2), "no communication")


@case
@in_scratch
def comm_deadlock(place):
    """check, replay: program and peer wait for each other; both sides are shown"""
    run = check(place, "stuck", "--format", "junit", "--format", "html", status=1)
    found = run.result["violations"][0]
    expect(found["kind"] == "comm-deadlock" and found["where"].startswith("asks.c:"), found)
    expect("answers" in found["message"] and "read" in found["message"], found)
    expect("now: waits to read" in run.err, run.tail)
    expect("comm-deadlock" in (place.path / "out" / "junit.xml").read_text(), "junit.xml")
    expect("to 127.0.0.1:7777" in (place.path / "out" / "report.html").read_text(), "report.html")
    replayed = place.heddle("replay", place.path / "out" / "violation-1.trace", status=1)
    expect("comm-deadlock at asks.c" in replayed.out, replayed.tail)


def figures(run):
    return {k: run.result[k] for k in ("verdict", "states", "transitions", "end_states")}


@case
@in_scratch
def trees_to_nowhere(place):
    """check: --save-trees into a folder that is not there is told before the search, not after it"""
    run = place.check("--save-trees", place.path / "none" / "saved", "--", program("asks.c"), "order", status=2)
    one_sentence(run, r"none/: No such file or directory; choose another place with --save-trees")


@case
@in_scratch
def recorded_trees(place):
    """check: --save-trees, then --load-trees without any peer: the same search; where it leaves them, incomplete"""
    live = check(place, "order", "--save-trees", place.path / "saved", status=0)
    again = place.check("--load-trees", place.path / "saved", "--", program("asks.c"), "order", status=0)
    expect(figures(live) == figures(again), f"{figures(live)} {figures(again)}")
    expect(live.result["cache"]["live"] and not again.result["cache"]["live"], again.result["cache"])
    expect(again.result["cache"]["connections"] == 0 and again.result["cache"]["misses"] == 0, again.result["cache"])
    left = place.check("--load-trees", place.path / "saved", "--", program("asks.c"), "more", status=3)
    expect(left.result["verdict"] == "incomplete" and "127.0.0.1:7777" in left.result["reason"], left.result["reason"])
    one_sentence(place.check("--load-trees", program("asks.c"), "--", program("asks.c"), "order", status=2), "no file with")


@case
@in_scratch
def datagrams_of_clients(place):
    """check, replay: whose datagram came first is in the trace; no client is needed to replay it, nor with --load-trees"""
    clients = ["--clients", "2", "--client", f"{program('sends.c')} {{port}} {{n}}"]
    wrong = place.check(*clients, "--", program("hears.c"), "wrong", status=1)
    expect("client 2, which is new" in wrong.err, wrong.err)
    replay = place.heddle("replay", place.path / "out" / "violation-1.trace", status=1)
    expect("client 2, which is new" in replay.out + replay.err, replay.out)
    live = place.check(*clients, "--save-trees", "all.trees", "--", program("hears.c"), "order", status=0)
    again = place.check("--clients", "2", "--client", "false {port}", "--load-trees", "all.trees", "--", program("hears.c"), "order", status=0)
    expect(figures(live) == figures(again), f"{figures(live)} {figures(again)}")


@case
@in_scratch
def network_summary(place):
    """check: the summary tells of the cache where there is a peer, and only there"""
    run = check(place, "order", status=0)
    expect(re.search(r"cache: branching, \d+ hits, \d+ miss", run.err) and "peers: relative to" in run.err, run.tail)
    run = place.check("--", program("mutex_counter.c"), status=0)
    expect("cache:" not in run.err and "peers:" not in run.err, run.tail)
    expect(run.result["cache"]["hits"] == 0 and run.result["cache"]["live"] is False, run.result["cache"])
