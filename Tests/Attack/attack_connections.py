"""Connections with requests that are never complete."""

import selectors
import socket
import time

import wire

HOSTILE = "127.0.0.2"


class Swarm:
    """Many connections from one address that send bytes slowly; a context manager."""

    def __init__(self, target, count, first, piece, interval):
        self.target, self.count, self.first, self.piece, self.interval = target, count, first, piece, interval
        self.connections = []
        self.refused = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in self.connections:
            connection.close()

    def run(self, seconds):
        """Opens connections up to the count, replaces closed connections, and sends bytes at each interval."""
        end = time.monotonic() + seconds
        trickle = time.monotonic() + self.interval
        while time.monotonic() < end and self.target.is_alive:
            for _ in range(min(200, self.count - len(self.connections))):
                self._open()
            if time.monotonic() >= trickle:
                trickle = time.monotonic() + self.interval
                self._trickle()
            else:
                self._drop_closed()
            time.sleep(0.02)

    def _open(self):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        try:
            connection.bind((HOSTILE, 0))
            connection.connect(("127.0.0.1", self.target.port))
        except BlockingIOError:
            pass
        except OSError:
            connection.close()
            self.refused += 1
            return
        try:
            connection.send(self.first)
        except OSError:
            pass
        self.connections.append(connection)

    def _trickle(self):
        for connection in self.connections:
            try:
                connection.send(self.piece)
            except BlockingIOError:
                pass
            except OSError:
                connection.close()
        self.connections = [connection for connection in self.connections if connection.fileno() >= 0]

    def _drop_closed(self):
        poller = selectors.DefaultSelector()
        for connection in self.connections[:2000]:
            poller.register(connection, selectors.EVENT_READ)
        closed = set()
        for key, _ in poller.select(0):
            try:
                if not key.fileobj.recv(65536):
                    closed.add(key.fileobj)
            except BlockingIOError:
                pass
            except OSError:
                closed.add(key.fileobj)
        poller.close()
        for connection in closed:
            connection.close()
        self.connections = [connection for connection in self.connections if connection not in closed]


def slow_headers(target, count, seconds):
    """Headers that never end."""
    first = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
    with Swarm(target, count, first, b"a", 4) as swarm:
        swarm.run(seconds)
        print(f"    {len(swarm.connections)} hostile connections are open at the end")
    return []


def slow_bodies(target, count, seconds):
    """Bodies that never end."""
    token = target.device.encode()
    first = (
        b"POST /api/overland HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Length: 60000\r\n\r\n{"
        % (target.port, token))
    with Swarm(target, count, first, b" ", 4) as swarm:
        swarm.run(seconds)
    return []


def event_streams(target, count, seconds):
    """Event streams of one address that are never read."""
    administrator = target.administrator.get("Authorization")
    secret = f"Authorization: {administrator}\r\n".encode() if administrator else b""
    first = b"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (target.port, secret)
    with Swarm(target, count, first, b"", 4) as swarm:
        swarm.run(seconds)
    return []


def idle(target, count, seconds):
    """Connections without a byte."""
    with Swarm(target, count, b"", b"", 4) as swarm:
        swarm.run(seconds)
    return []
