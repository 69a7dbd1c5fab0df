"""Connections with requests that are never complete."""

import errno
import select
import socket
import time

import wire

HOSTILE = "127.0.0.2"


class Swarm:
    """Many connections from one address that send bytes slowly and read nothing; a context manager."""

    def __init__(self, target, count, first, piece, interval):
        self.target, self.count, self.first, self.piece, self.interval = target, count, first, piece, interval
        # The connections by their file descriptor: those that are being established, and those that are open.
        self.connecting, self.connections = {}, {}
        self.poller = select.epoll()
        # The number of connections that were established, and of those that were not.
        self.opened = self.refused = 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        for connection in [*self.connecting.values(), *self.connections.values()]:
            connection.close()
        self.poller.close()

    def run(self, seconds):
        """Opens connections up to the count, replaces closed connections, and sends bytes at each interval."""
        end = time.monotonic() + seconds
        trickle = time.monotonic() + self.interval
        while time.monotonic() < end and self.target.is_alive:
            for _ in range(min(200, self.count - len(self.connections) - len(self.connecting))):
                self._open()
            if time.monotonic() >= trickle:
                trickle = time.monotonic() + self.interval
                self._trickle()
            self._poll()
            time.sleep(0.02)

    @property
    def summary(self):
        return f"    {self.opened} hostile connections were opened, {self.refused} were refused, and {len(self.connections)} are open at the end"

    def failures(self):
        """Returns a failure if fewer connections were ever opened than requested: the server was not attacked."""
        return [] if self.opened >= self.count else [f"{self.opened} of {self.count} hostile connections were opened; {self.refused} were refused"]

    def _open(self):
        connection = socket.socket()
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        connection.setblocking(False)
        try:
            connection.bind((HOSTILE, 0))
            error = connection.connect_ex(("127.0.0.1", self.target.port))
        except OSError as failure:
            error = failure.errno
        if error not in (0, errno.EINPROGRESS):
            connection.close()
            self.refused += 1
            return
        self.connecting[connection.fileno()] = connection
        self.poller.register(connection, select.EPOLLOUT)

    def _poll(self):
        """Sends the first bytes of the connections that are established, and drops those that the server has closed."""
        for number, events in self.poller.poll(0):
            if number in self.connecting:
                connection = self.connecting.pop(number)
                if connection.getsockopt(socket.SOL_SOCKET, socket.SO_ERROR) != 0:
                    self.refused += 1
                    connection.close()
                    continue
                self.opened += 1
                self.connections[number] = connection
                # The end of the server's side is reported even if there are unread bytes before it.
                self.poller.modify(connection, select.EPOLLRDHUP)
                self._send(number, self.first)
            elif events & (select.EPOLLRDHUP | select.EPOLLHUP | select.EPOLLERR):
                self.connections.pop(number).close()

    def _trickle(self):
        for number in list(self.connections):
            self._send(number, self.piece)

    def _send(self, number, piece):
        try:
            self.connections[number].send(piece)
        except BlockingIOError:
            pass
        except OSError:
            self.connections.pop(number).close()


def slow_headers(target, count, seconds):
    """Headers that never end."""
    first = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\nX-A: "
    with Swarm(target, count, first, b"a", 4) as swarm:
        swarm.run(seconds)
        print(swarm.summary)
        return swarm.failures()


def slow_bodies(target, count, seconds):
    """Bodies that never end."""
    token = target.device.encode()
    first = (
        b"POST /api/overland HTTP/1.1\r\nHost: 127.0.0.1:%d\r\nAuthorization: Bearer %s\r\nContent-Length: 60000\r\n\r\n{"
        % (target.port, token))
    with Swarm(target, count, first, b" ", 4) as swarm:
        swarm.run(seconds)
        print(swarm.summary)
        return swarm.failures()


def event_streams(target, count, seconds):
    """Event streams of one address that are never read."""
    administrator = target.administrator.get("Authorization")
    secret = f"Authorization: {administrator}\r\n".encode() if administrator else b""
    first = b"GET /api/v1/events HTTP/1.1\r\nHost: 127.0.0.1:%d\r\n%s\r\n" % (target.port, secret)
    with Swarm(target, count, first, b"", 4) as swarm:
        swarm.run(seconds)
        print(swarm.summary)
        return swarm.failures()


def idle(target, count, seconds):
    """Connections without a byte."""
    with Swarm(target, count, b"", b"", 4) as swarm:
        swarm.run(seconds)
        print(swarm.summary)
        return swarm.failures()
