"""Controls a headless Chromium for the measurements of pages."""
import json
import math
import os
import select
import shutil
import subprocess
import sys
import tempfile
import time


class Browser:
    """A headless Chromium with one page, controlled through a pair of pipes."""

    def __init__(self, size):
        program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
        if not program:
            sys.exit("chromium.py: no Chromium is installed (Debian: apt install chromium)")
        self.profile = tempfile.TemporaryDirectory(ignore_cleanup_errors=True)
        read, self.sent = os.pipe()
        self.received, write = os.pipe()

        def pipes():
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", f"--window-size={size[0]},{size[1]}", "about:blank"],
            preexec_fn=pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        # Only Chromium keeps its ends, so that the pipes close when it ends.
        os.close(read)
        os.close(write)
        self.bytes, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank", newWindow=True, width=size[0], height=size[1])["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def message(self):
        while b"\0" not in self.bytes:
            ready, _, _ = select.select([self.received], [], [], 1)
            part = os.read(self.received, 1 << 20) if ready else b""
            if not part and (ready or self.process.poll() is not None):
                self.fail()
            self.bytes += part
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def fail(self):
        """Ends the measurement, because Chromium has closed its pipes."""
        self.close()
        sys.exit(f"chromium.py: Chromium ended with exit status {self.process.returncode}")

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        try:
            os.write(self.sent, json.dumps(message).encode() + b"\0")
        except BrokenPipeError:
            self.fail()
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit(f"chromium.py: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get("value")

    def wait(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > end:
                sys.exit(f"chromium.py: this never became true: {script}")
            time.sleep(0.1)

    def trace(self, body):
        """Returns the events of the trace while `body` runs."""
        self.events = []
        self.call("Tracing.start", transferMode="ReportEvents", traceConfig={
            "includedCategories": ["devtools.timeline", "disabled-by-default-v8.gc", "v8", "benchmark"]})
        body()
        self.call("Tracing.end")
        found = []
        while True:
            event = self.events.pop(0) if self.events else self.message()
            if event.get("method") == "Tracing.dataCollected":
                found += event["params"]["value"]
            elif event.get("method") == "Tracing.tracingComplete":
                return found

    def pan(self, size, seconds):
        """Drags the map in circles, with up to sixty movements per second."""
        middle, radius = (size[0] * 0.65, size[1] * 0.4), min(size) * 0.2

        def pointer(kind, angle):
            self.call(
                "Input.dispatchMouseEvent", type=kind, x=middle[0] + radius * math.cos(angle), y=middle[1] + radius * math.sin(angle),
                button="left", buttons=1, clickCount=1)

        pointer("mousePressed", 0)
        begin = time.monotonic()
        while (passed := time.monotonic() - begin) < seconds:
            pointer("mouseMoved", passed * 2)
            time.sleep(1 / 60)
        pointer("mouseReleased", seconds * 2)

    def close(self):
        self.process.terminate()
        self.process.wait()
        self.profile.cleanup()
