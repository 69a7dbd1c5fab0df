"""A server under attack: its process, its tokens, and a second client that must get a response to every request."""

import json
import os
import resource
import shutil
import signal
import socket
import subprocess
import tempfile
import threading
import time

import wire

# The maximum resident memory of a server during an attack, in KiB.
MEMORY_LIMIT = 256 << 10


def free_port():
    """Returns a port of 127.0.0.1 on which no program listens."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


class Target:
    """One process of the executable with its own data folder; a context manager."""

    def __init__(self, executable, open_files=None, options=()):
        self.executable = executable
        self.open_files = open_files
        self.options = list(options)
        self.folder = tempfile.mkdtemp(prefix="godwit-attack-")
        self.port = free_port()
        self.process = self.log = None
        self.log_path = os.path.join(self.folder, "server.log")

    def __enter__(self):
        try:
            self._start()
        except BaseException:
            self._stop()
            raise
        return self

    def __exit__(self, *_):
        self._stop()

    def _start(self):
        limit = self.open_files

        def limit_files():
            if limit:
                resource.setrlimit(resource.RLIMIT_NOFILE, (limit, limit))

        self.log = open(self.log_path, "wb")
        self.process = subprocess.Popen(
            [self.executable, "serve", "--listen", f"127.0.0.1:{self.port}", "--data", self.folder, *self.options],
            stdout=self.log, stderr=self.log, stdin=subprocess.DEVNULL, preexec_fn=limit_files)
        self._wait_until_it_listens()
        self.device = self.device_token("phone")

    def _stop(self):
        if self.process is not None and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(20)
            except subprocess.TimeoutExpired:
                self.process.kill()
                self.process.wait()
        if self.log is not None:
            self.log.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def _wait_until_it_listens(self):
        for _ in range(300):
            if self.process.poll() is not None:
                raise RuntimeError(f"the server ended at its start: {self.log_text()}")
            try:
                if wire.ask(self.port, "GET", "/healthz", timeout=2).status == 200:
                    return
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError("the server did not listen within 30 s")

    def log_text(self):
        with open(self.log_path, "rb") as file:
            return file.read()[-2000:].decode("utf-8", "replace")

    @property
    def administrator(self):
        """The headers with the administrator token; empty if the server has no such token."""
        path = os.path.join(self.folder, "admin-token")
        if not os.path.exists(path):
            return {}
        with open(path) as file:
            return {"Authorization": "Bearer " + file.read().strip()}

    def device_token(self, name):
        """Adds a device with the command line, and returns its token."""
        made = subprocess.run(
            [self.executable, "device", "add", name, "--data", self.folder, "--json"], capture_output=True, check=True)
        return json.loads(made.stdout)["token"]

    @property
    def is_alive(self):
        return self.process.poll() is None

    @property
    def memory(self):
        """The peak resident memory, in KiB."""
        return self._status("VmHWM:")

    def _status(self, key):
        try:
            with open(f"/proc/{self.process.pid}/status") as file:
                for line in file:
                    if line.startswith(key):
                        return int(line.split()[1])
        except OSError:
            pass
        return 0

    @property
    def processor_seconds(self):
        """The used user and system time, in seconds."""
        try:
            with open(f"/proc/{self.process.pid}/stat") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            return 0.0
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


class SecondClient:
    """A client at 127.0.0.1 that reads and uploads on its own connections during an attack; a context manager."""

    INTERVAL = 0.05

    def __init__(self, target, timeout=10.0):
        self.target = target
        self.timeout = timeout
        self.latencies = []
        self.failures = []
        self._ending = threading.Event()
        self._threads = [threading.Thread(target=self._run, args=(kind,), daemon=True) for kind in ("read", "send", "health")]

    def __enter__(self):
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_):
        self._ending.set()
        for thread in self._threads:
            thread.join(self.timeout + 5)
        if any(thread.is_alive() for thread in self._threads):
            self.failures.append("a request did not end")
        if not self.latencies:
            self.failures.append("no request was sent")

    def _run(self, kind):
        number = 0
        while not self._ending.is_set():
            number += 1
            begin = time.monotonic()
            try:
                answer = self._ask(kind, number)
                # A busy server may respond with 503 and the time of the next attempt.
                if answer.status != 200 and not (answer.status == 503 and "retry-after" in answer.headers):
                    self.failures.append(f"{kind}: status {answer.status}")
            except Exception as error:
                if not self._ending.is_set() or self.target.is_alive:
                    self.failures.append(f"{kind}: {type(error).__name__} {error}")
            self.latencies.append(time.monotonic() - begin)
            self._ending.wait(self.INTERVAL)

    def _ask(self, kind, number):
        port, timeout = self.target.port, self.timeout
        if kind == "health":
            return wire.ask(port, "GET", "/healthz", timeout=timeout)
        if kind == "read":
            return wire.ask(port, "GET", "/api/v1/devices", headers=self.target.administrator, timeout=timeout)
        fix = {
            "type": "Feature", "geometry": {"type": "Point", "coordinates": [14.5 + number * 1e-6, 46.05]},
            "properties": {"timestamp": time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), "horizontal_accuracy": 5},
        }
        return wire.ask(
            port, "POST", "/api/overland", body=json.dumps({"locations": [fix]}).encode(),
            headers={"Authorization": "Bearer " + self.target.device, "Content-Type": "application/json"}, timeout=timeout)

    def percentile(self, share):
        """Returns a percentile of the latency in seconds."""
        ordered = sorted(self.latencies)
        return ordered[min(len(ordered) - 1, int(share * len(ordered)))] if ordered else float("nan")
