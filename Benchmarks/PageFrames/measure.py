#!/usr/bin/env python3
"""How soon a page with a map is usable, and how long its scripts run in each frame while the map is moved.

measure.py LINK [--path PATH] [--slower N] [--no-drawing] [--canvas] [--loads N] [--size WxH] [--seconds N] [--json]

LINK is what `godwit login` prints; PATH is the page, `/?live=off&history=on` without it. `scripts/bench pages` runs this on two million
points. The page is loaded five times with an empty cache, of which the fastest counts: the others waited for the rest of the machine.
`--slower 4` is a processor of a quarter of the speed.

- First contentful paint is the browser's own figure. The page is usable when it shows the day and its values, and its map can be moved;
  after that the map and the history are drawn.
- Then the map is pulled in circles by the pointer. The time of a frame is the processor time of all scripts of the page's thread between
  the beginnings of two frames, with the garbage collection that they cause, as Chromium's trace has it. What draws is another process,
  which takes the processor where there is no graphics card, and is not in it.
- Frames per second are printed beside it. `--canvas` compares them with those of a 2D canvas that draws the lines of the same view again
  in each frame, as wide and as transparent: without a graphics card a map should reach half of them.
"""
import argparse
import bisect
import json
import os
import statistics
import sys
import time
from urllib.parse import urljoin

import chromium

# Tasks in which Chromium runs a page's scripts; those inside one another count once.
SCRIPTS = {
    "EvaluateScript", "EventDispatch", "FireAnimationFrame", "FireIdleCallback", "FunctionCall", "MajorGC", "MinorGC", "RunMicrotasks",
    "TimerFire", "v8.callFunction", "v8.evaluateModule", "v8.run",
}
FRAME = "ProxyMain::BeginMainFrame"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def scripts_of_frames(events):
    """Milliseconds of scripts in each frame of the busiest page thread, and the frames per second."""
    threads = {}
    for event in events:
        if event.get("name") == FRAME and event["ph"] in "BX":
            threads.setdefault((event["pid"], event["tid"]), []).append(event["ts"])
    if not threads:
        sys.exit("measure.py: the trace has no frames")
    thread, frames = max(threads.items(), key=lambda item: len(item[1]))
    frames.sort()
    times = [0.0] * len(frames)
    end = 0
    runs = sorted(
        ((event["ts"], -event["dur"], event.get("tdur", event["dur"])) for event in events
         if event.get("ph") == "X" and event["name"] in SCRIPTS and (event["pid"], event["tid"]) == thread))
    for start, length, busy in runs:
        # What begins inside another one is part of it.
        if start < end:
            continue
        end = start - length
        frame = bisect.bisect_right(frames, start) - 1
        if frame >= 0:
            times[frame] += busy / 1000
    return times[1:], (len(frames) - 1) / max(1e-9, (frames[-1] - frames[0]) / 1e6)


def script(name):
    with open(os.path.join(FOLDER, name), encoding="utf-8") as file:
        return file.read()


def load(browser, address, has_history):
    """Milliseconds from the beginning of a navigation with an empty cache."""
    browser.call("Network.clearBrowserCache")
    browser.call("Network.setBypassServiceWorker", bypass=True)
    browser.call("Page.navigate", url="about:blank")
    # What the page before has left to do is not this one's.
    time.sleep(2)
    browser.call("Page.navigate", url=address)
    drawn = ["points", "map"] + ["history"] * has_history
    browser.wait("window.measured && " + " && ".join(f"measured.{part}" for part in drawn))
    measured = browser.evaluate("measured")
    return {
        "first_paint_ms": measured["first-contentful-paint"], "usable_ms": max(measured["points"], measured["movable"]),
        "drawn_ms": max(measured[part] for part in drawn),
    }


def share(values, percent):
    values = sorted(values)
    return values[min(len(values) - 1, len(values) * percent // 100)]


def panned(browser, size, seconds):
    times, rate = scripts_of_frames(browser.trace(lambda: browser.pan(size, seconds)))
    return {
        "frames": len(times), "median_ms": statistics.median(times), "p95_ms": share(times, 95), "p99_ms": share(times, 99),
        "slowest_ms": max(times), "frames_per_second": rate,
    }


def canvas(browser, size, seconds):
    """Frames per second of a canvas in place of the page, with the lines of the view that the page showed."""
    lines = browser.evaluate(script("canvas.js"))
    if not lines:
        sys.exit("measure.py: the view has no lines")
    _, rate = scripts_of_frames(browser.trace(lambda: browser.pan(size, seconds)))
    return {"canvas_frames_per_second": rate, "canvas_lines": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("link")
    parser.add_argument("--path", default="/?live=off&history=on")
    parser.add_argument("--slower", type=float, default=1, help="how many times slower the processor is made")
    parser.add_argument("--size", default="1440x900", help="of the window")
    parser.add_argument("--loads", type=int, default=5, help="how often the page is loaded; the fastest counts")
    parser.add_argument("--seconds", type=float, default=5, help="how long the map is pulled")
    parser.add_argument("--no-drawing", action="store_true", help="as where a graphics card draws, see no-drawing.js")
    parser.add_argument("--canvas", action="store_true", help="compare with a 2D canvas")
    parser.add_argument("--json", action="store_true")
    options = parser.parse_args()
    size = tuple(int(part) for part in options.size.split("x"))
    has_history = "history=on" in options.path
    browser = chromium.Browser(size)
    try:
        browser.call("Page.navigate", url=options.link)
        browser.wait("location.pathname === '/' && document.body.dataset.map === 'drawn'")
        for name in ["marks.js"] + ["no-drawing.js"] * options.no_drawing:
            browser.call("Page.addScriptToEvaluateOnNewDocument", source=script(name))
        if options.slower > 1:
            browser.call("Emulation.setCPUThrottlingRate", rate=options.slower)
        loads = [load(browser, urljoin(options.link, options.path), has_history) for _ in range(options.loads)]
        result = {"slower": options.slower} | {name: min(one[name] for one in loads) for name in loads[0]}
        if has_history:
            browser.wait("document.body.dataset.frames")
        browser.pan(size, 1)
        result |= panned(browser, size, options.seconds)
        result["is_light"] = browser.evaluate("document.body.dataset.frames === 'slow'")
        if options.canvas:
            result |= canvas(browser, size, options.seconds)
    finally:
        browser.close()
    if options.json:
        print(json.dumps(result))
        return
    for name, value in result.items():
        print(f"{name} {value:.1f}" if isinstance(value, float) else f"{name} {value}")


main()
