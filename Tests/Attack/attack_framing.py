"""Requests whose end is ambiguous (request smuggling; RFC 9112, section 6.3), and oversized heads."""

import wire

OK = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n"
HIDDEN = b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-Hidden: 1\r\n\r\n"


def _post(*lines, body=b""):
    head = [b"POST /api/overland HTTP/1.1", b"Host: 127.0.0.1:{port}", b"Authorization: Bearer {token}", *lines]
    return b"\r\n".join(head) + b"\r\n\r\n" + body


JSON = b'{"locations":[]}'
CHUNKED = b"10\r\n" + JSON + b"\r\n0\r\n\r\n"
# (description, bytes, expected statuses; 0: the connection is closed)
CASES = [
    ("two lengths that differ", _post(b"Content-Length: 16", b"Content-Length: 0", body=JSON + HIDDEN), {400, 0}),
    ("two lengths in one field", _post(b"Content-Length: 16, 0", body=JSON + HIDDEN), {400, 0}),
    ("a length with a sign", _post(b"Content-Length: +16", body=JSON), {400, 0}),
    ("a negative length", _post(b"Content-Length: -16", body=JSON), {400, 0}),
    ("a length beyond 64 bits", _post(b"Content-Length: 99999999999999999999", body=JSON), {400, 413, 0}),
    ("a length with chunks", _post(b"Content-Length: 4", b"Transfer-Encoding: chunked", body=CHUNKED + HIDDEN), {400, 0}),
    ("chunks with a length", _post(b"Transfer-Encoding: chunked", b"Content-Length: 4", body=CHUNKED + HIDDEN), {400, 0}),
    ("a blank before the colon", _post(b"Transfer-Encoding : chunked", body=CHUNKED + HIDDEN), {400, 0}),
    ("an unknown coding", _post(b"Transfer-Encoding: identity, chunked", body=CHUNKED), {400, 501, 0}),
    ("a coding twice", _post(b"Transfer-Encoding: chunked", b"Transfer-Encoding: chunked", body=CHUNKED), {400, 501, 0}),
    ("a folded field", _post(b"X-Folded: a", b" b", b"Content-Length: 16", body=JSON), {400, 0}),
    ("two Hosts", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nHost: evil.example\r\n\r\n", {400, 0}),
    ("no Host", b"GET /healthz HTTP/1.1\r\n\r\n", {400, 0}),
    ("1,200 arguments", b"GET /api/v1/devices?" + b"&".join(b"a%d=1" % i for i in range(1200)) + b" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", {400, 414, 431}),
    ("an address of 60 kB", b"GET /api/v1/devices?a=" + b"a" * 60000 + b" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", {400, 414, 431}),
    ("an address of 200 kB", b"GET /" + b"a" * 200000 + b" HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n", {400, 414, 431, 0}),
    ("a field of 200 kB", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nX-A: " + b"a" * 200000 + b"\r\n\r\n", {400, 431, 0}),
    ("5,000 fields", b"GET /healthz HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n" + b"".join(b"X-%d: a\r\n" % i for i in range(5000)) + b"\r\n", {400, 431, 0}),
]


def framing(target):
    """Each request is rejected within 5 s, and later bytes of the connection get no response."""
    failures = []
    for name, template, expected in CASES:
        # Not `format`, because bodies contain braces.
        text = template.replace(b"{port}", b"%d" % target.port).replace(b"{token}", target.device.encode())
        statuses = []
        with wire.connect(target.port, timeout=5) as connection:
            reader = wire.Reader(connection)
            try:
                connection.sendall(text)
            except OSError:
                pass  # The server closed the connection before the whole request was sent.
            try:
                while len(statuses) < 3:
                    statuses.append(reader.answer().status)
                    if statuses[-1] >= 400:
                        break
            except TimeoutError:
                if not statuses:
                    statuses.append(-1)
            except (OSError, ValueError, IndexError):
                if not statuses:
                    statuses.append(0)
        if len(statuses) != 1 or statuses[0] not in expected:
            received = ["no response in 5 s" if status == -1 else str(status) for status in statuses]
            failures.append(f"{name}: received {', '.join(received)}; expected one of {sorted(expected)}")
    return failures
