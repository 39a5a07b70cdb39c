"""Debian's binaries as the program under test."""

import collections
import re
import shlex

import harness

Case = collections.namedtuple("Case", "name command peers verdict text")
"""peers: options of heddle; verdict: what it must be; text: a regex on what heddle says, or None."""

WEB = "--server 'busybox httpd -f -p 127.0.0.1:{port:8000} -h @tmp/pages'"
ECHO = """--server 'socat TCP-LISTEN:{port:7000},bind=127.0.0.1,fork,reuseaddr EXEC:cat'"""
# Two requests to a proxy: no password, and a connection to port 1 of this machine, where nobody listens.
SOCKS = r"""printf "\005\001\000\005\001\000\001\177\000\000\001\000\001" | socat - TCP:127.0.0.1:{port:1080}"""

CASES = [
    Case("microsocks, a thread for each client", ["microsocks", "-i", "127.0.0.1", "-p", "1080"],
         f"--allow-refused --clients 3 --client '{SOCKS}'", "verified", "3 clients started"),
    Case("microsocks, clients that leave early", ["microsocks", "-i", "127.0.0.1", "-p", "1080"],
         "--client 'socat -u OPEN:/dev/null TCP:127.0.0.1:{port}' --client 'echo | socat - TCP:127.0.0.1:{port}'", "verified", None),
    Case("wget", ["wget", "-q", "--timeout=0", "--tries=1", "-O", "-", "http://127.0.0.1:8000/1.txt"],
         f"--check-exit {WEB}", "verified", "1 connection"),
    Case("wget, a page that is not there", ["wget", "-q", "--timeout=0", "--tries=1", "-O", "-", "http://127.0.0.1:8000/none"],
         f"--check-exit {WEB}", "violation", "status 8"),
    Case("busybox wget", ["busybox", "wget", "-q", "-O", "-", "http://127.0.0.1:8000/2.txt"], f"--check-exit {WEB}", "verified", None),
    Case("bash", ["bash", "-c", 'exec 3<>/dev/tcp/127.0.0.1/7000; echo hi >&3; read x <&3; test "$x" = hi'],
         f"--check-exit {ECHO}", "verified", "1 connection"),
    Case("bash waits for more than it asked for", ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/7000; echo hi >&3; read x <&3; read y <&3"],
         ECHO, "violation", "comm-deadlock"),
    Case("gawk", ["gawk", 'BEGIN{s="/inet/tcp/0/127.0.0.1/7000"; print "hi" |& s; s |& getline x; exit x != "hi"}'],
         f"--check-exit {ECHO}", "verified", "1 connection"),
]


def check(case, expand):
    run = harness.heddle_check(case.command, ["--recheck", "0", *shlex.split(expand(case.peers))])
    if run.result is None:
        return f"exit {run.status}, no result\n{run.tail()}"
    if run.result["verdict"] != case.verdict:
        return f"verdict {run.result['verdict']} ({run.result['reason']}), expected {case.verdict}\n{run.tail()}"
    if case.text and not re.search(case.text, run.out + run.err, re.S):
        return f"the report does not match {case.text!r}\n{run.tail()}"
    return None
