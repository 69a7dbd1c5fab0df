"""HTTP/1.1 as bytes: requests that a conforming client library would not send, and their responses."""

import socket
from dataclasses import dataclass, field


@dataclass
class Answer:
    status: int
    headers: dict = field(default_factory=dict)
    body: bytes = b""


class NoAnswer(OSError):
    """The server closed the connection without a response."""


def connect(port, source="127.0.0.1", timeout=10.0):
    """Opens a connection to 127.0.0.1 from a loopback address."""
    return socket.create_connection(("127.0.0.1", port), timeout, source_address=(source, 0))


def request_bytes(method, target, headers=None, body=b"", host="127.0.0.1"):
    """Returns the bytes of a request; `host` is the value of the header field Host."""
    lines = [f"{method} {target} HTTP/1.1", f"Host: {host}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    if body or method in ("POST", "PUT"):
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("utf-8", "surrogatepass") + b"\r\n\r\n" + body


class Reader:
    """Reads responses from a connection, one after the other."""

    def __init__(self, connection):
        self.connection = connection
        self.buffer = b""

    def _more(self):
        piece = self.connection.recv(65536)
        if not piece:
            raise NoAnswer("the server closed the connection without a response")
        self.buffer += piece

    def answer(self, method="GET"):
        """Returns the next response. Raises NoAnswer at the end of the connection, and TimeoutError if no data arrives."""
        answer = self.head()
        if answer.status == 100:
            return self.answer(method)
        headers = answer.headers
        if method == "HEAD" or answer.status in (204, 304):
            return answer
        if headers.get("transfer-encoding") == "chunked":
            answer.body = self._chunks()
        elif "content-length" in headers:
            answer.body = self._exactly(int(headers["content-length"]))
        else:
            answer.body = self._rest()
        return answer

    def head(self):
        """Returns the status and the header fields of the next response; its body is not read."""
        while b"\r\n\r\n" not in self.buffer:
            self._more()
        head, self.buffer = self.buffer.split(b"\r\n\r\n", 1)
        lines = head.split(b"\r\n")
        status = int(lines[0].split()[1])
        headers = {}
        for line in lines[1:]:
            name, _, value = line.partition(b":")
            headers[name.strip().lower().decode("latin-1")] = value.strip().decode("latin-1")
        return Answer(status, headers)

    def _exactly(self, size):
        while len(self.buffer) < size:
            self._more()
        body, self.buffer = self.buffer[:size], self.buffer[size:]
        return body

    def _chunks(self):
        body = b""
        while True:
            while b"\r\n" not in self.buffer:
                self._more()
            line, self.buffer = self.buffer.split(b"\r\n", 1)
            size = int(line.split(b";")[0], 16)
            body += self._exactly(size + 2)[:size]
            if size == 0:
                return body

    def _rest(self):
        try:
            while True:
                self._more()
        except NoAnswer:
            body, self.buffer = self.buffer, b""
            return body


def ask(port, method, target, headers=None, body=b"", host=None, source="127.0.0.1", timeout=10.0, body_follows=True):
    """Sends a request on a new connection. Without `body_follows` the body of the response is not read, for event streams."""
    with connect(port, source, timeout) as connection:
        host = host if host is not None else f"127.0.0.1:{port}"
        headers = {"Connection": "close", **(headers or {})}
        connection.sendall(request_bytes(method, target, headers, body, host))
        reader = Reader(connection)
        return reader.answer(method) if body_follows else reader.head()
