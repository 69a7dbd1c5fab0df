"""Damaged requests for every operation of the OpenAPI document of the server."""

import json
import random
import re
import threading

import wire
from attack_numbers import EXTREMES

TEXTS = EXTREMES + [
    "phone", "2026-05-04", "9999-12-31T23:59:59Z", "-0001-01-01", "0000-00-00", "2026-02-30T25:61:61+99:99", "a" * 300, "'", '"', "\\", "%00",
    "../../etc/passwd", "null", "true", "[]", "{}", "\u202e", "\U0001f427", "-180,-90,180,90", "1e308,1e308,-1e308,-1e308", ",,,", "1,2,3", "gpx", "last",
]
BODIES = [
    b"", b"{", b"[]", b"{}", b"null", b"1e309", b'"\\ud800"', b"\xff\xfe", b"[" * 2000, b'{"a":' * 500, b"\x1f\x8b\x08\x00\x00", b"\x00" * 100,
    b'{"name":9223372036854775807}', b'{"locations":[{"geometry":null}]}', b'{"locations":{}}', b"a=1&a=2&%zz", b"--x\r\n\r\n", b"lat=91&lon=181",
]
# Operations that would revoke or block the access of the other requests. Their damaged requests are sent with a wrong token.
HARMFUL = {("post", "/api/v1/users"), ("post", "/api/v1/password"), ("delete", "/api/v1/sessions"), ("delete", "/api/v1/devices/{name}/tokens")}


def operations(target):
    """Returns (method, path, names of query parameters, example body) of each operation of the OpenAPI document."""
    document = json.loads(wire.ask(target.port, "GET", "/api/v1/openapi.json").body)
    found = []
    for path, methods in document["paths"].items():
        shared = methods.get("parameters", [])
        for method, operation in methods.items():
            if method not in ("get", "post", "put", "delete", "patch"):
                continue
            names = []
            for parameter in shared + operation.get("parameters", []):
                parameter = _resolved(document, parameter)
                if parameter.get("in") == "query":
                    names.append(parameter["name"])
            body = {}
            for content in operation.get("requestBody", {}).get("content", {}).values():
                body = _example(document, content.get("schema", {}), 0)
                if "example" in content:
                    body = content["example"]
                break
            found.append((method, path, names, body))
    return found


def _resolved(document, value):
    while "$ref" in value:
        place = document
        for part in value["$ref"].lstrip("#/").split("/"):
            place = place[part]
        value = place
    return value


def _example(document, schema, depth):
    schema = _resolved(document, schema) if isinstance(schema, dict) else {}
    if depth > 4:
        return None
    if "example" in schema:
        return schema["example"]
    if "properties" in schema:
        return {name: _example(document, part, depth + 1) for name, part in schema["properties"].items()}
    kind = schema.get("type")
    if isinstance(kind, list):
        kind = kind[0]
    if kind == "array":
        return [_example(document, schema.get("items", {}), depth + 1)]
    return {"string": "phone", "integer": 1, "number": 1.5, "boolean": True}.get(kind, {})


class Mutator:
    """Creates damaged requests for an operation. The same seed gives the same requests."""

    def __init__(self, seed):
        self.random = random.Random(seed)

    def request(self, operation, target, secrets):
        method, path, names, body = operation
        choose = self.random.choice
        address = re.sub(r"\{[^}]*\}", lambda _: choose(["phone", "1", "x", choose(TEXTS)]).replace("/", "%2F"), path)
        query = [f"{name}={choose(TEXTS)}" for name in names if self.random.random() < 0.5]
        if self.random.random() < 0.1:
            query += [f"{choose(['device', 'after', 'limit', 'x'])}={choose(TEXTS)}"] * self.random.randint(1, 3)
        if query:
            address += "?" + "&".join(query)
        address = "".join(c if 0x21 <= ord(c) < 0x7F and c not in '"<>\\^`{}' else "".join(f"%{b:02X}" for b in c.encode()) for c in address)
        headers = dict(choose(secrets))
        if (method, path) in HARMFUL:
            headers = {"Authorization": "Bearer gw_wrong"}
        if self.random.random() < 0.05:
            headers[choose(["If-None-Match", "If-Match", "Accept-Encoding", "Godwit-Range", "X-Limit-D", "Cookie", "Origin"])] = _field(choose(TEXTS))
        sent = b""
        if method in ("post", "put", "patch"):
            headers["Content-Type"] = choose(["application/json", "application/x-www-form-urlencoded", "text/plain", "multipart/form-data; boundary=x"])
            if self.random.random() < 0.2:
                headers["Content-Encoding"] = choose(["gzip", "deflate", "br"])
            sent = choose(BODIES) if self.random.random() < 0.3 else self._damaged(json.dumps(self._changed(body)).encode())
        return method.upper(), address, headers, sent

    def _changed(self, value):
        if isinstance(value, dict):
            return {key: self._changed(part) for key, part in value.items() if self.random.random() > 0.1}
        if isinstance(value, list):
            return [self._changed(part) for part in value] * self.random.choice([0, 1, 1, 1, 3])
        # No request may leave this machine, so addresses of other hosts in examples are replaced.
        if isinstance(value, str) and "://" in value:
            return "http://127.0.0.1:9/"
        if self.random.random() < 0.3:
            return self.random.choice(TEXTS + [None, True, 2**63, -(2**63), 2**64, 1.7e308, -1, [], {}])
        return value

    def _damaged(self, text):
        if text and self.random.random() < 0.2:
            place = self.random.randrange(len(text))
            return text[:place] + bytes([self.random.randrange(256)]) + text[place + self.random.randrange(3) :]
        return text


def _field(text):
    return "".join(c for c in text if 0x20 <= ord(c) < 0x7F)


def mutations(target, count, seed=2026, threads=3):
    """Damaged requests do not end the process, do not cause status 500, and do not time out."""
    all_operations = operations(target)
    secrets = [target.administrator, target.administrator, {"Authorization": "Bearer " + target.device}, {}]
    failures, statuses = [], {}
    lock = threading.Lock()

    def run(part):
        try:
            send(part)
        except Exception as error:
            with lock:
                failures.append(f"part {part} ended early: {type(error).__name__} {error}")

    def send(part):
        mutator = Mutator(seed * 1000 + part)
        connection = reader = None
        for number in range(count // threads):
            if not target.is_alive or len(failures) > 20:
                return
            method, address, headers, body = mutator.request(all_operations[number % len(all_operations)], target, secrets)
            # An event stream does not end, so only its head is read.
            is_stream = address.split("?")[0] == "/api/v1/events"
            try:
                if connection is None:
                    connection = wire.connect(target.port, timeout=20)
                    reader = wire.Reader(connection)
                connection.sendall(wire.request_bytes(method, address, headers, body, f"127.0.0.1:{target.port}"))
                answer = reader.head() if is_stream else reader.answer(method)
                keeps = not is_stream and answer.headers.get("connection", "").lower() != "close"
                with lock:
                    statuses[answer.status] = statuses.get(answer.status, 0) + 1
                    if answer.status == 500 or (answer.status == 503 and "retry-after" not in answer.headers):
                        failures.append(f"{method} {address} {headers} {body[:200]!r}: status {answer.status} {answer.body[:200]!r}")
            except OSError as error:
                keeps = False
                # If the server rejects a body before it is read, it closes the connection: that is not a failure.
                if not target.is_alive or isinstance(error, TimeoutError):
                    with lock:
                        failures.append(f"{method} {address} {headers} {body[:200]!r}: {type(error).__name__}" + ("" if target.is_alive else "; the server ended"))
            except Exception as error:
                # The response is not HTTP.
                keeps = False
                with lock:
                    failures.append(f"{method} {address} {headers} {body[:200]!r}: {type(error).__name__} {error}")
            if not keeps and connection is not None:
                connection.close()
                connection = None
        if connection is not None:
            connection.close()

    workers = [threading.Thread(target=run, args=(part,)) for part in range(threads)]
    for worker in workers:
        worker.start()
    for worker in workers:
        worker.join()
    counts = ", ".join(f"{status}: {number}" for status, number in sorted(statuses.items()))
    print(f"    {sum(statuses.values())} responses of {len(all_operations)} operations ({counts})")
    if not statuses:
        failures.append("no request got a response")
    return failures
