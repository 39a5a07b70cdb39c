"""What CI systems, code hosts and editors read: SARIF, JUnit, ::error lines, file:line: error: …"""

import json
import os
import pathlib
import re
import shutil
import subprocess
import sys
import xml.etree.ElementTree

import harness
from support import Skip, case, expect, in_scratch, program

# A seccomp filter that lets one system call fail with EPERM, as docker's does with personality(); then exec.
DENY = """
import ctypes, os, struct, sys
code = [(0x20, 0, 0, 0), (0x15, 0, 1, int(sys.argv[1])), (0x06, 0, 0, 0x00050001), (0x06, 0, 0, 0x7fff0000)]
text = ctypes.create_string_buffer(b"".join(struct.pack("HBBI", *c) for c in code))
filter = ctypes.create_string_buffer(struct.pack("HxxxxxxP", len(code), ctypes.addressof(text)))
libc = ctypes.CDLL(None, use_errno=True)
if libc.prctl(38, 1, 0, 0, 0) or libc.prctl(22, 2, filter, 0, 0):
    sys.exit("no seccomp here")
os.execv(sys.argv[2], sys.argv[2:])
"""


def project(place, source="sums.c"):
    """A repository of its own with the program built in a folder below, as CI has it; its top and the program."""
    top = place.path / "repo"
    (top / ".git").mkdir(parents=True)
    (top / "src").mkdir()
    (top / "build").mkdir()
    shutil.copy(pathlib.Path(__file__).parent / source, top / "src" / source)
    subprocess.run(["gcc", "-g", "-D_GNU_SOURCE", "-o", "prog", f"../src/{source}", "-pthread"], cwd=top / "build", check=True)
    return top, top / "build" / "prog"


def sarif_problems(log, top):
    """What GitHub's upload and the standard ask for, and our schema-less look can tell."""
    for run in log["runs"]:
        rules = run["tool"]["driver"]["rules"]
        if run["originalUriBaseIds"]["SRCROOT"]["uri"] != f"file://{top}/":
            yield f"the base is {run['originalUriBaseIds']}"
        for rule in rules:
            if not all(rule[k]["text"] for k in ("shortDescription", "fullDescription", "help")):
                yield f"rule {rule['id']} explains nothing"
        if len({r["id"] for r in rules}) != len(rules):
            yield "two rules with one id"
        for result in run["results"]:
            if rules[result["ruleIndex"]]["id"] != result["ruleId"]:
                yield f"rule {result['ruleId']} is not number {result['ruleIndex']}"
            if not result["message"]["text"] or len(result["partialFingerprints"]["primaryLocationLineHash"]) != 16:
                yield f"no message or fingerprint in {result}"
            flows = [f for c in result.get("codeFlows", []) for f in c["threadFlows"]]
            if len({f["id"] for f in flows}) != len(flows):
                yield "two flows of one thread"
            steps = [s for f in flows for s in f["locations"]]
            if len({s["executionOrder"] for s in steps}) != len(steps):
                yield "two steps at a time"
            places = [*result["locations"], *result.get("relatedLocations", []), *(s["location"] for s in steps)]
            if len(result["locations"]) != 1:
                yield "GitHub shows results with a place only"
            for at in (p["physicalLocation"] for p in places if "physicalLocation" in p):
                uri = at["artifactLocation"]["uri"]
                if at["artifactLocation"].get("uriBaseId") == "SRCROOT" and not (top / uri).is_file():
                    yield f"{uri} is no file below {top}"
                if at["region"]["startLine"] < 1:
                    yield f"line {at['region']['startLine']}"


@case
@in_scratch
def sarif(place):
    """ci: SARIF has the right line, relative uris, rules, fingerprints, and a flow per thread"""
    top, prog = project(place)
    place.check("--format", "sarif", "--", prog, status=1, cwd=top / "build")
    log = json.loads((place.path / "out" / "result.sarif").read_text())
    wrong = list(sarif_problems(log, top))
    expect(not wrong, wrong)
    [result] = log["runs"][0]["results"]
    at = result["locations"][0]["physicalLocation"]
    line = [n for n, text in enumerate((top / "src/sums.c").read_text().split("\n"), 1) if "assert(total" in text]
    expect(at["artifactLocation"]["uri"] == "src/sums.c" and [at["region"]["startLine"]] == line, at)
    flows = result["codeFlows"][0]["threadFlows"]
    expect([f["id"] for f in flows] == ["thread 1", "thread 2", "thread 3"], flows)
    mark = result["partialFingerprints"]
    source = top / "src" / "sums.c"  # other lines, the same finding
    source.write_text("\n\n\n" + source.read_text().replace("/* Two", "/* More than two"))
    subprocess.run(["gcc", "-g", "-o", "prog", "../src/sums.c", "-pthread"], cwd=top / "build", check=True)
    place.check("--format", "sarif", "--", prog, status=1, cwd=top)
    [again] = json.loads((place.path / "out" / "result.sarif").read_text())["runs"][0]["results"]
    expect(again["partialFingerprints"] == mark, (again["partialFingerprints"], mark))
    expect(again["locations"] != result["locations"], "the line did not move")


@case
@in_scratch
def sarif_by_its_makers(place):
    """ci: Microsoft's validator finds neither error nor warning (HEDDLE_SARIF_MULTITOOL names its command)"""
    tool = os.environ.get("HEDDLE_SARIF_MULTITOOL")
    if not tool:
        raise Skip("npm install @microsoft/sarif-multitool, and set HEDDLE_SARIF_MULTITOOL")
    top, prog = project(place)
    place.check("--format", "sarif", "--", prog, status=1, cwd=top)
    run = subprocess.run([tool, "validate", place.path / "out" / "result.sarif", "--rule-kind", "Sarif;Ghas", "--output",
                          place.path / "said.sarif", "--level", "Error;Warning"], capture_output=True, text=True, timeout=120,
                         env={**os.environ, "DOTNET_SYSTEM_GLOBALIZATION_INVARIANT": "1"})
    results = json.loads((place.path / "said.sarif").read_text())["runs"][0].get("results", [])
    results = [r for r in results if r["ruleId"] != "SARIF2005"]  # it wants a page in the web about heddle
    expect(run.returncode == 0 and not results, f"{results}\n{run.stdout}{run.stderr}")


@case
@in_scratch
def any_bytes(place):
    """ci: whatever bytes the program uses, all reports are valid"""
    run = place.check("--format", "junit", "--format", "html", "--format", "sarif", "--format", "github", "--",
                      program("odd_bytes.c"), status=1)
    out = place.path / "out"
    junit = xml.etree.ElementTree.parse(out / "junit.xml").getroot()
    expect("\ufffd" in junit.find(".//failure").get("message"), "what is no UTF-8 is not replaced")
    for name in ("junit.xml", "report.html", "result.sarif", "result.json", "violation-1.trace"):
        text = (out / name).read_bytes().decode()  # strict
        expect(not re.search(r"[\x00-\x08\x0b-\x1f]", text) or name == "violation-1.trace", f"a control character in {name}")
    json.loads((out / "result.sarif").read_text())
    errors = [line for line in run.out.split("\n") if line.startswith("::")]
    expect(len(errors) == 1 and "%25 %0D%0A::error::no" in errors[0], run.out)


@case
@in_scratch
def github(place):
    """ci: --format github has one ::error per violation at its line, a ::warning for what is not verified, else a ::notice"""
    top, prog = project(place)
    run = place.check("--format", "github", "--", prog, status=1, cwd=top)
    expect(re.match(r"::error file=src/sums\.c,line=\d+,title=heddle%3A assert::.*total != 33.*%0Aheddle replay ", run.out), run.out)
    env = {**os.environ, "GITHUB_WORKSPACE": str(top / "src")}
    expect(place.check("--format", "github", "--", prog, status=1, env=env).out.startswith("::error file=sums.c,"), "workspace")
    run = place.check("--format", "github", "--max-states", "2", "--", program("mutex_counter.c"), status=3)
    expect(run.out.startswith("::warning title=heddle%3A bounded::"), run.out)
    run = place.check("--format", "github", "--", program("mutex_counter.c"), status=0)
    expect(run.out.startswith("::notice title=heddle%3A verified::"), run.out)


@case
@in_scratch
def like_gcc(place):
    """ci: a violation begins with file:line: error:, seen from the current folder"""
    top, prog = project(place)
    for where, name in ((top, "src/sums.c"), (top / "src", "sums.c"), (place.path / "/", str(top / "src/sums.c"))):
        run = place.check("--", prog, status=1, cwd=where)
        expect(re.search(rf"^{re.escape(name)}:\d+: error: assert: .*total != 33", run.err, re.M), run.tail)


@case
@in_scratch
def in_a_container(place):
    """ci: where a container forbids personality() or ptrace(), the remedy is named; doctor agrees"""
    for number, words in ((135, "seccomp=unconfined"), (101, "SYS_PTRACE")):
        for verb in (["check", "--out", str(place.path / "out"), "--", str(program("talks.c"))], ["doctor"]):
            run = subprocess.run([sys.executable, "-c", DENY, str(number), str(harness.heddle_path()), *verb],
                                 capture_output=True, text=True, timeout=60, check=False)
            expect(run.returncode == 2 or verb == ["doctor"] and run.returncode, f"exit {run.returncode}")
            expect(words in run.stdout + run.stderr, run.stdout + run.stderr)
