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

# Event-driven servers under test: their configuration, and clients with one request each.
FILES = {
    "lighttpd.conf": 'server.document-root = "@tmp/pages"\nserver.port = 8080\nserver.bind = "127.0.0.1"\n',
    "nginx.conf": "daemon off; master_process off; pid @tmp/nginx.pid; error_log @tmp/nginx.log; events { worker_connections 16; }\n"
                  "http { access_log off; server { listen 127.0.0.1:8080; root @tmp/pages; } }\n",
}


def asks(request, clients):
    return rf"""--timeouts never --clients {clients} --client 'printf "{request}" | nc -N 127.0.0.1 {{port}}'"""


PAGE = r"GET /1.txt HTTP/1.0\r\n\r\n"

CASES = [
    Case("memcached, event-driven", ["/usr/bin/memcached", "-u", "root", "-t", "1", "-l", "127.0.0.1", "-p", "11211", "-U", "0", "-m", "64",
                                     "-o", "no_lru_crawler,no_lru_maintainer,no_slab_reassign,no_modern"],
         asks(r"get a\r\nquit\r\n", 1), "verified", "1 client started"),
    Case("redis-server, event-driven", ["/usr/bin/redis-server", "--port", "6379", "--save", "", "--appendonly", "no", "--bind", "127.0.0.1",
                                        "--jemalloc-bg-thread", "no"],
         asks(r"PING\r\nQUIT\r\n", 1), "verified", "1 client started"),
    Case("lighttpd, event-driven", ["/usr/sbin/lighttpd", "-D", "-f", "@tmp/lighttpd.conf"], asks(PAGE, 2), "verified", "2 clients started"),
    Case("nginx, event-driven", ["/usr/sbin/nginx", "-p", "@tmp", "-c", "@tmp/nginx.conf"], asks(PAGE, 2), "verified", None),
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
    run = harness.heddle_check([expand(word) for word in case.command], ["--recheck", "0", *shlex.split(expand(case.peers))])
    if run.result is None:
        return f"exit {run.status}, no result\n{run.tail()}"
    if run.result["verdict"] != case.verdict:
        return f"verdict {run.result['verdict']} ({run.result['reason']}), expected {case.verdict}\n{run.tail()}"
    if case.text and not re.search(case.text, run.out + run.err, re.S):
        return f"the report does not match {case.text!r}\n{run.tail()}"
    return None
