#!/usr/bin/env python3
"""How long the scripts of a page run in each frame while its map is moved, as Chromium's trace tells it.

measure.py ADDRESS [--slower N] [--size WxH] [--seconds N] [--json]

ADDRESS is that of a map page which needs no further sign-in, such as the link of `godwit login`. The map is pulled to and fro by the
pointer. The time of a frame is that of all scripts of the page's thread between the beginnings of two frames, with the garbage
collection that they cause and without painting, which a machine without a graphics card does in software. `--slower 4` is a processor
of a quarter of the speed. Frames per second are printed beside it; they say nothing of a machine with a graphics card.
"""
import argparse
import bisect
import json
import math
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

# Tasks in which Chromium runs a page's scripts; those inside one another count once.
SCRIPTS = {
    "EvaluateScript", "EventDispatch", "FireAnimationFrame", "FireIdleCallback", "FunctionCall", "MajorGC", "MinorGC", "RunMicrotasks",
    "TimerFire", "v8.callFunction", "v8.evaluateModule", "v8.run",
}
FRAME = "BeginMainThreadFrame"


class Browser:
    """Chromium with one page, over a pair of pipes."""

    def __init__(self, size):
        program = next((found for name in ("chromium", "chromium-browser", "google-chrome") if (found := shutil.which(name))), None)
        if not program:
            sys.exit("measure.py: no Chromium is installed (Debian: apt install chromium)")
        self.profile = tempfile.TemporaryDirectory()
        read, self.sent = os.pipe()
        self.received, write = os.pipe()

        def pipes():
            os.dup2(read, 3)
            os.dup2(write, 4)

        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--use-angle=swiftshader", "--enable-unsafe-swiftshader", "--no-first-run",
             "--remote-debugging-pipe", f"--user-data-dir={self.profile.name}", f"--window-size={size[0]},{size[1]}", "about:blank"],
            preexec_fn=pipes, pass_fds=(3, 4), stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.bytes, self.number, self.session, self.events = b"", 0, None, []
        target = self.call("Target.createTarget", url="about:blank", width=size[0], height=size[1])["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        self.call("Page.enable")

    def message(self):
        while b"\0" not in self.bytes:
            self.bytes += os.read(self.received, 1 << 20)
        text, self.bytes = self.bytes.split(b"\0", 1)
        return json.loads(text)

    def call(self, method, **parameters):
        self.number += 1
        number = self.number
        message = {"id": number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.sent, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.message()
            if answer.get("id") == number:
                if "error" in answer:
                    sys.exit(f"measure.py: {method}: {answer['error']['message']}")
                return answer["result"]
            self.events.append(answer)

    def evaluate(self, script):
        return self.call("Runtime.evaluate", expression=script, returnByValue=True, awaitPromise=True)["result"].get("value")

    def wait(self, script, seconds=60):
        end = time.monotonic() + seconds
        while not self.evaluate(script):
            if time.monotonic() > end:
                sys.exit(f"measure.py: the page never came to: {script}")
            time.sleep(0.1)

    def trace(self, body):
        """The events of the trace while `body` runs."""
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
        """Pulls the map in circles, sixty times a second as far as the browser keeps up."""
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


def scripts_of_frames(events):
    """Milliseconds of scripts in each frame of the busiest page thread, and the frames per second."""
    threads = {}
    for event in events:
        if event.get("name") == FRAME:
            threads.setdefault((event["pid"], event["tid"]), []).append(event["ts"])
    if not threads:
        sys.exit("measure.py: the trace has no frames")
    thread, frames = max(threads.items(), key=lambda item: len(item[1]))
    frames.sort()
    times = [0.0] * len(frames)
    end = 0
    runs = sorted(
        (event["ts"], event["ts"] + event["dur"]) for event in events
        if event.get("ph") == "X" and event["name"] in SCRIPTS and (event["pid"], event["tid"]) == thread)
    for start, stop in runs:
        start = max(start, end)
        if stop <= start:
            continue
        end = stop
        frame = bisect.bisect_right(frames, start) - 1
        if frame >= 0:
            times[frame] += (stop - start) / 1000
    return times[1:], (len(frames) - 1) / max(1e-9, (frames[-1] - frames[0]) / 1e6)


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("address")
    parser.add_argument("--slower", type=float, default=1, help="how many times slower the processor is made")
    parser.add_argument("--size", default="1440x900", help="of the window")
    parser.add_argument("--seconds", type=float, default=5, help="how long the map is pulled")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    size = tuple(int(part) for part in options.size.split("x"))
    browser = Browser(size)
    try:
        browser.call("Page.navigate", url=options.address)
        browser.wait("document.body && document.body.dataset.map === 'drawn'")
        browser.pan(size, 1)
        if options.slower > 1:
            browser.call("Emulation.setCPUThrottlingRate", rate=options.slower)
        times, rate = scripts_of_frames(browser.trace(lambda: browser.pan(size, options.seconds)))
    finally:
        browser.close()
    times.sort()
    result = {
        "frames": len(times), "median_ms": round(statistics.median(times), 2), "p95_ms": round(times[int(len(times) * 0.95)], 2),
        "slowest_ms": round(times[-1], 2), "frames_per_second": round(rate, 1), "slower": options.slower,
    }
    if options.json:
        print(json.dumps(result))
    else:
        print(
            f"{result['frames']} frames: scripts {result['median_ms']} ms (median), {result['p95_ms']} ms (95 %), "
            f"{result['slowest_ms']} ms (slowest); {result['frames_per_second']} frames/s")


main()
