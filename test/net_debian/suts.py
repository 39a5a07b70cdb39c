"""Debian's binaries as the program under test."""

import collections
import re
import shlex

import harness

Case = collections.namedtuple("Case", "name command peers verdict text slow", defaults=[None, False])
"""peers: options of heddle; verdict: what it must be; text: a regex on what heddle says, or None; slow: only with --all."""

WEB = "--server 'busybox httpd -f -p 127.0.0.1:{port:8000} -h @tmp/pages'"
ECHO = """--server 'socat TCP-LISTEN:{port:7000},bind=127.0.0.1,fork,reuseaddr EXEC:cat'"""
# Two requests to a proxy: no password, and a connection to port 1 of this machine, where nobody listens.
SOCKS = r"""printf "\005\001\000\005\001\000\001\177\000\000\001\000\001" | socat - TCP:127.0.0.1:{port:1080}"""

# Event-driven servers under test: their configuration, and clients with one request each.
FILES = {
    "lighttpd.conf": 'server.document-root = "@tmp/pages"\nserver.port = 8080\nserver.bind = "127.0.0.1"\n',
    "mosquitto.conf": "listener 1883 127.0.0.1\nallow_anonymous true\npersistence false\nlog_dest none\n",
    "tinyproxy.conf": "Port 8888\nListen 127.0.0.1\nTimeout 600\nMaxClients 10\nLogLevel Critical\n",
    "threads.py": "import http.server\n"
                  "class Hello(http.server.BaseHTTPRequestHandler):\n"
                  "    def do_GET(self):\n"
                  "        self.send_response(200)\n"
                  "        self.end_headers()\n"
                  "        self.wfile.write(b'hello')\n"
                  "    def log_message(self, *unused):\n"
                  "        pass\n"
                  "http.server.ThreadingHTTPServer(('127.0.0.1', 8080), Hello).serve_forever(None)\n",
    "nginx.conf": "daemon off; master_process off; pid @tmp/nginx.pid; error_log @tmp/nginx.log; events { worker_connections 16; }\n"
                  "http { access_log off; server { listen 127.0.0.1:8080; root @tmp/pages; } }\n",
}


def asks(request, clients, options="--timeouts never"):
    return rf"""{options} --clients {clients} --client 'printf "{request}" | nc -N 127.0.0.1 {{port}}'"""


PAGE = r"GET /1.txt HTTP/1.0\r\n\r\n"
MEMCACHED = ["/usr/bin/memcached", "-u", "root", "-l", "127.0.0.1", "-p", "11211", "-U", "0", "-m", "64",
             "-o", "no_modern"]
REDIS = ["/usr/bin/redis-server", "--port", "6379", "--save", "", "--appendonly", "no", "--bind", "127.0.0.1"]
LIGHTTPD = ["/usr/sbin/lighttpd", "-D", "-f", "@tmp/lighttpd.conf"]
NGINX = ["/usr/sbin/nginx", "-p", "@tmp", "-c", "@tmp/nginx.conf"]
MOSQUITTO = ["/usr/sbin/mosquitto", "-c", "@tmp/mosquitto.conf"]
TINYPROXY = ["/usr/bin/tinyproxy", "-d", "-c", "@tmp/tinyproxy.conf"]
PUBLISH = "--client 'mosquitto_pub -i c{n} -h 127.0.0.1 -p {port} -t a -m x'"
SUBSCRIBE = "--client 'mosquitto_sub -i s -h 127.0.0.1 -p {port} -t a -C 1'"
PARTS = "--short-io on "

CASES = [
    Case("memcached, two worker threads, two clients", [*MEMCACHED, "-t", "2"], asks(r"get a\r\n", 2), "verified", "2 clients started"),
    Case("memcached, what is sent arrives in parts", [*MEMCACHED, "-t", "2"], PARTS + asks(r"get a\r\n", 2), "verified", "2 clients started"),
    Case("redis-server, two clients", REDIS, asks(r"PING\r\n", 2), "verified", "2 clients started"),
    Case("redis-server, what is sent arrives in parts", REDIS, PARTS + asks(r"PING\r\n", 2), "verified", "2 clients started"),
    Case("lighttpd, two clients", LIGHTTPD, asks(PAGE, 2), "verified", "2 clients started"),
    Case("lighttpd, what is sent arrives in parts", LIGHTTPD, PARTS + asks(PAGE, 2), "verified", "2 clients started", slow=True),
    Case("nginx, two clients", NGINX, asks(PAGE, 2), "verified"),
    Case("nginx, two clients, its time-outs may come", NGINX, asks(PAGE, 2, ""), "verified"),
    Case("nginx, what is sent arrives in parts", NGINX, PARTS + asks(PAGE, 2), "verified", slow=True),
    Case("mosquitto, two clients publish", MOSQUITTO, f"--timeouts never --clients 2 {PUBLISH}", "verified", "2 clients started"),
    Case("mosquitto, one publishes what another has subscribed to", MOSQUITTO,
         f"--timeouts never --client-order given {SUBSCRIBE} {PUBLISH}", "verified", "2 clients started"),
    Case("mosquitto, what is sent arrives in parts", MOSQUITTO, PARTS + f"--timeouts never --clients 2 {PUBLISH}", "verified", slow=True),
    Case("tinyproxy, two clients, nobody listens behind it", TINYPROXY,
         "--allow-refused " + asks(r"GET http://127.0.0.1:9/ HTTP/1.0\r\n\r\n", 2), "verified", "2 clients started"),
    Case("tinyproxy between a client and a server", TINYPROXY,
         WEB + " " + asks(r"GET http://127.0.0.1:8000/1.txt HTTP/1.0\r\n\r\n", 1), "verified", "1 client started"),
    Case("tinyproxy between two clients and a server", TINYPROXY,
         WEB + " " + asks(r"GET http://127.0.0.1:8000/1.txt HTTP/1.0\r\n\r\n", 2), "verified", "2 clients started", slow=True),
    Case("python3, a thread for each request", ["/usr/bin/python3", "-I", "-S", "-E", "@tmp/threads.py"], asks(PAGE, 1), "verified",
         "1 client started", slow=True),
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
