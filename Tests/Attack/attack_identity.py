"""Requests that appear to come from this machine: DNS rebinding, and proxies with their default configuration."""

import json
import os
import shutil
import subprocess
import time

import wire
from target import free_port

# Host names that resemble an address of this machine. {port} is the port of the server.
FOREIGN_NAMES = [
    "127.evil.example:{port}", "127.0.0.1.evil.example:{port}", "[::1].evil.example:{port}", "localhost.evil.example:{port}",
    "evil.example:{port}", "127.0.0.1:1", "localhost:1", "127.0.0.1.:{port}", "0x7f000001:{port}", "127.1:{port}", "",
]

USER = json.dumps({"name": "mallory", "password": "correct horse battery"}).encode()
CHANGES = [
    ("POST", "/api/v1/devices", b'{"name":"mallory"}'),
    ("POST", "/api/v1/webhooks", b'{"url":"http://127.0.0.1:9/mallory"}'),
    ("POST", "/api/v1/users", USER),
]
READS = ["/api/v1/devices", "/api/v1/points?device=phone", "/api/v1/events", "/api/v1/export?device=phone&format=gpx", "/metrics"]
# The statuses of a request without a valid token. Another error would mean that the server examined the request itself.
REJECTIONS = (401, 403)


def _with_token(target, port, host):
    """Sends the same requests with the administrator token. Returns the failures: without a token they would fail for another reason."""
    failures = []
    for path in READS:
        answer = wire.ask(port, "GET", path, target.administrator, host=host, body_follows=False)
        if answer.status != 200:
            failures.append(f"GET {path} with the administrator token: {answer.status}")
    for method, path, body in CHANGES:
        answer = wire.ask(port, method, path, {"Content-Type": "application/json", **target.administrator}, body, host=host)
        if not 200 <= answer.status < 300:
            failures.append(f"{method} {path} with the administrator token: {answer.status} {answer.body[:200]!r}")
    return failures


def rebinding(target):
    """Requests without a token read and change nothing, with any Host and Origin."""
    failures = []
    for pattern in FOREIGN_NAMES + ["127.0.0.1:{port}", "localhost:{port}"]:
        name = pattern.format(port=target.port)
        for path in READS:
            answer = wire.ask(target.port, "GET", path, host=name, body_follows=False)
            if answer.status not in REJECTIONS:
                failures.append(f"GET {path} with Host {name!r}: {answer.status}")
        for method, path, body in CHANGES:
            headers = {"Origin": f"http://{name}", "Sec-Fetch-Site": "same-origin", "Content-Type": "application/json"}
            answer = wire.ask(target.port, method, path, headers, body, host=name)
            if answer.status not in REJECTIONS:
                failures.append(f"{method} {path} with Host and Origin {name!r}: {answer.status}")
    return failures + _with_token(target, target.port, f"127.0.0.1:{target.port}")


def panel_rebinding(target):
    """The panel of the tracker rejects requests without its token."""
    port = free_port()
    journal = os.path.join(target.folder, "tracker.journal")
    track = os.path.join(target.folder, "walk.gpx")
    with open(track, "w") as file:
        points = "".join(
            f'<trkpt lat="46.{i:04}" lon="14.5"><time>2026-05-04T10:{i // 60:02}:{i % 60:02}Z</time></trkpt>'
            for i in range(600))
        file.write(f'<gpx version="1.1" creator="attack"><trk><trkseg>{points}</trkseg></trk></gpx>')
    panel = subprocess.Popen(
        [target.executable, "track", "--source", track, "--speed", "1", "--panel", f"127.0.0.1:{port}",
         "--journal", journal, "--token", target.device,
         "--endpoint", f"http://127.0.0.1:{target.port}/api/overland"],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, stdin=subprocess.DEVNULL)
    failures = []
    try:
        for _ in range(100):
            try:
                wire.ask(port, "GET", "/")
                break
            except OSError:
                time.sleep(0.1)
        for pattern in ["127.evil.example:{port}", "127.0.0.1.evil.example:{port}", "127.0.0.1:{port}", "localhost:1"]:
            name = pattern.format(port=port)
            headers = {"Origin": f"http://{name}", "Content-Type": "application/json", "X-Forwarded-For": "192.0.2.1"}
            for method, path, body in [
                ("GET", "/api/v1/status", b""), ("PUT", "/api/v1/settings", b'{"main":{"tracking_mode":"off"}}'),
                ("POST", "/api/v1/tracking", b'{"on":false}'),
            ]:
                for sent in (headers, {"Content-Type": "application/json"}):
                    answer = wire.ask(port, method, path, sent, body, host=name)
                    if answer.status not in REJECTIONS:
                        failures.append(f"panel: {method} {path} with Host {name!r}: {answer.status}")
        with open(journal + ".panel-token") as file:
            answer = wire.ask(port, "GET", "/api/v1/status", {"Authorization": "Bearer " + file.read().strip()})
        if answer.status != 200:
            failures.append(f"panel: GET /api/v1/status with its token: {answer.status}")
        if panel.poll() is not None:
            failures.append(f"panel: the tracker ended with status {panel.returncode}")
    finally:
        panel.terminate()
        panel.wait(20)
    return failures


NGINX = """
daemon off; worker_processes 1; pid {folder}/nginx.pid; error_log {folder}/nginx.log;
events {{ worker_connections 64; }}
http {{
  access_log off; client_body_temp_path {folder}/b; proxy_temp_path {folder}/p; fastcgi_temp_path {folder}/f;
  uwsgi_temp_path {folder}/u; scgi_temp_path {folder}/s;
  server {{ listen 127.0.0.1:{port}; location / {{ proxy_pass http://127.0.0.1:{server}; }} }}
}}
"""


def proxies(target):
    """Requests without a token through a proxy that adds no headers read and change nothing."""
    failures = []
    for name, start in [("nginx", _nginx), ("socat", _socat)]:
        program = shutil.which(name) or shutil.which(name, path="/usr/sbin:/sbin")
        if program is None:
            failures.append(f"{name} is not installed, so it was not tested")
            continue
        port = free_port()
        proxy = start(program, target, port)
        try:
            for _ in range(100):
                try:
                    wire.ask(port, "GET", "/healthz", host="track.example.org")
                    break
                except OSError:
                    time.sleep(0.05)
            for path in READS:
                answer = wire.ask(port, "GET", path, host="track.example.org", body_follows=False)
                if answer.status not in REJECTIONS:
                    failures.append(f"{name}: GET {path}: {answer.status}")
            for method, path, body in CHANGES:
                answer = wire.ask(port, method, path, {"Content-Type": "application/json"}, body, host="track.example.org")
                if answer.status not in REJECTIONS:
                    failures.append(f"{name}: {method} {path}: {answer.status}")
            # Only a read, because the changes would succeed only once, and there are two proxies.
            answer = wire.ask(port, "GET", READS[0], target.administrator, host="track.example.org")
            if answer.status != 200:
                failures.append(f"{name}: GET {READS[0]} with the administrator token: {answer.status}")
        finally:
            proxy.terminate()
            proxy.wait(20)
    return failures


def _nginx(program, target, port):
    configuration = os.path.join(target.folder, "nginx.conf")
    with open(configuration, "w") as file:
        file.write(NGINX.format(folder=target.folder, port=port, server=target.port))
    return subprocess.Popen([program, "-c", configuration, "-p", target.folder], stderr=subprocess.DEVNULL)


def _socat(program, target, port):
    return subprocess.Popen(
        [program, f"TCP-LISTEN:{port},bind=127.0.0.1,fork,reuseaddr", f"TCP:127.0.0.1:{target.port}"], stderr=subprocess.DEVNULL)
