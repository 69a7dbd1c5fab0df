"""Small compressed requests with a large decompressed size."""

import gzip
import time
import zlib

import wire


def packed(piece, size, head=b"", tail=b""):
    """Returns the gzip of `head`, `piece` repeated to `size` bytes, and `tail`."""
    packer = zlib.compressobj(9, zlib.DEFLATED, 31)
    block = piece * max(1, (1 << 16) // len(piece))
    out = [packer.compress(head)]
    done = 0
    while done < size:
        out.append(packer.compress(block))
        done += len(block)
    out.append(packer.compress(tail))
    out.append(packer.flush())
    return b"".join(out)


MIB = 1 << 20
JSON = "application/json"
FORM = "application/x-www-form-urlencoded"
# (description, path, whether the request has the token of a device, content type, compressed body)
BOMBS = [
    ("numbers at /api/osmand, no token", "/api/osmand", False, JSON, packed(b"1,", 40 * MIB, b"[", b"1]")),
    ("objects at /api/osmand, no token", "/api/osmand", False, JSON, packed(b'{"a":1},', 40 * MIB, b"[", b"{}]")),
    ("form fields at /api/gpslogger, no token", "/api/gpslogger", False, FORM, packed(b"a=1&", 60 * MIB)),
    ("escapes at /api/gpslogger, no token", "/api/gpslogger", False, FORM, packed(b"%41", 30 * MIB, b"a=")),
    ("numbers at /api/overland", "/api/overland", True, JSON, packed(b"1,", 16 * MIB, b'{"locations":[', b"1]}")),
    ("objects at /api/overland", "/api/overland", True, JSON, packed(b"{},", 16 * MIB, b'{"locations":[', b"{}]}")),
    ("nesting at /api/overland", "/api/overland", True, JSON, packed(b"[", 16 * MIB, b'{"locations":')),
    ("objects at /api/owntracks", "/api/owntracks", True, JSON, packed(b"{},", 18 * MIB, b"[", b"{}]")),
    ("objects at /api/openlocate", "/api/openlocate", True, JSON, packed(b"{},", 18 * MIB, b"[", b"{}]")),
    ("objects at /api/osmand", "/api/osmand", True, JSON, packed(b"{},", 18 * MIB, b"[", b"{}]")),
    ("blanks at /api/overland, 1 GiB", "/api/overland", True, JSON, packed(b" ", 1024 * MIB)),
]


def bombs(target):
    """A compressed request of at most 1 MiB takes at most 10 s of processor time, and does not cause status 500."""
    failures = []
    for name, path, has_token, kind, body in BOMBS:
        headers = {"Content-Type": kind, "Content-Encoding": "gzip"}
        if has_token:
            headers["Authorization"] = "Bearer " + target.device
        before, begin = target.processor_seconds, time.monotonic()
        try:
            answer = wire.ask(target.port, "POST", path, headers, body, timeout=60)
            status = answer.status
        except wire.NoAnswer:
            status = 0  # The server closed the connection before it read the whole body.
        except OSError as error:
            failures.append(f"{name} ({len(body)} bytes): {type(error).__name__} after {time.monotonic() - begin:.0f} s")
            continue
        spent = target.processor_seconds - before
        print(f"    {name}: {len(body)} bytes, status {status}, {spent * 1000:.0f} ms of processor, {target.memory >> 10} MiB at the highest")
        if status == 500:
            failures.append(f"{name}: status 500")
        if spent > 10:
            failures.append(f"{name} ({len(body)} bytes): {spent:.1f} s of processor time")
        if not target.is_alive:
            failures.append(f"{name}: the server ended")
            break
    return failures
