"""Ends of threads, robust mutexes, a semaphore, cancellation points of all kinds: parts of the model of the kernel (kernel.py)."""

import errno

E = {name: -getattr(errno, name) for name in dir(errno) if name.startswith("E")}


class Threads:
    # ---- ends: a moment of their own, behind the last call ----

    def end(self, t):
        """Who held the robust mutex is its dead owner; then the thread is gone."""
        if self.owner == t:
            self.owner = None
            self.robust = "dead"
        else:
            self.gone[t] = True

    def tryjoin(self, _t, thread):
        if self.joined[thread]:
            return 3  # not asked
        if not self.gone[thread]:
            return E["EBUSY"]
        self.joined[thread] = True
        return 0

    def timedjoin(self, t, thread):
        """However long: the time may be up before the other is gone, but not after."""
        result = self.tryjoin(t, thread)
        return E["ETIMEDOUT"] if result == E["EBUSY"] else result

    def join(self, t, thread):
        result = self.tryjoin(t, thread)
        if result == E["EBUSY"]:
            self.wait()
        return result

    # ---- a robust mutex that checks for errors ----

    def lock(self, t):
        if self.robust == "gone":
            return E["ENOTRECOVERABLE"]
        if self.owner == t:
            return E["EDEADLK"]
        if self.owner is not None:
            self.wait()
        self.owner = t
        if self.robust == "dead":
            self.robust = "taken"
            return E["EOWNERDEAD"]
        return 0

    def trylock(self, t):
        if self.owner not in (None, t) and self.robust != "gone":
            return E["EBUSY"]
        return self.lock(t)

    def unlock(self, t):
        if self.owner != t:
            return E["EPERM"]
        self.owner = None
        if self.robust == "taken":
            self.robust = "gone"
        return 0

    def consistent(self, t):
        if self.owner != t or self.robust != "taken":
            return E["EINVAL"]
        self.robust = "well"
        return 0

    # ---- a semaphore ----

    def semwait(self, _t):
        if not self.semaphore:
            self.wait()
        self.semaphore -= 1
        return 0

    def semtry(self, _t):
        if not self.semaphore:
            return E["EAGAIN"]
        self.semaphore -= 1
        return 0

    def sempost(self, _t):
        self.semaphore += 1
        return 0

    # ---- calls that are cancellation points, and have nothing else to tell ----

    def fsync(self, t, n):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        return 0 if d.kind == "file" else E["EINVAL"]

    fdatasync = fsync

    def msync(self, _t, page):
        return E["ENOMEM"] if self.pages[page] == "gone" else 0

    def getrandom(self, _t):
        return 4

    def nap(self, _t):
        return 0

    def waitpid(self, _t):
        return E["ECHILD"]

    def select(self, t, n):
        """For reading, with a time-out of 0."""
        d = self.at(n, t)
        return E["EBADF"] if not d else int(bool(self.events_of(d, t) & 0x19))

    def readv(self, t, n, count):
        return self.read(t, n, count)

    def writev(self, t, n, byte):
        return self.write(t, n, byte)

    def pwrite(self, t, n, byte, at):
        d = self.at(n, t)
        if not d:
            return E["EBADF"]
        if d.kind != "file":
            return E["ESPIPE"]
        if (d.flags & 3) == 0:
            return E["EBADF"]
        data = self.files[d.thing][0]
        at = len(data) if d.flags & 0o2000 else at
        if len(data) < at:
            data.extend(bytes(at - len(data)))
        data[at:at + 1] = bytes([byte])
        return 1

    def send(self, t, n, byte):
        d = self.at(n, t)
        if d and d.kind not in ("pair", "listener"):
            return E["ENOTSOCK"]
        return self.write(t, n, byte)

    def recv(self, t, n, count):
        d = self.at(n, t)
        if d and d.kind not in ("pair", "listener"):
            return E["ENOTSOCK"]
        return self.read(t, n, count)
