#!/usr/bin/env python3
"""Measures how soon a page with a map is usable, and how long its scripts run in each frame while the map is moved.

measure.py LINK [--path PATH] [--slower N] [--no-drawing] [--canvas] [--loads N] [--size WxH] [--seconds N] [--json]

LINK is the link that `godwit login` prints. PATH is the page (default: `/?live=off&history=on`). `scripts/bench pages` runs this on two
million points. The page is loaded five times with an empty cache, and the fastest result is used, because other processes slow down the
others. `--slower 4` is a processor of a quarter of the speed.

- First contentful paint is measured by the browser. The page is usable when it shows the day and its values, and its map can be moved;
  the map and the history are drawn after that.
- Then the pointer drags the map in circles. The time of a frame is the processor time of all scripts of the page's thread between
  the beginnings of two frames, with the garbage collection that they cause, according to Chromium's trace. It does not include the
  process that draws, which uses the processor if there is no graphics card.
- Frames per second are also printed. `--canvas` compares them with those of a 2D canvas that draws the lines of the same view again
  in each frame, with the same width and transparency: without a graphics card a map should reach half of them.
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

# Tasks in which Chromium runs a page's scripts. Nested tasks count once.
SCRIPTS = {
    "EvaluateScript", "EventDispatch", "FireAnimationFrame", "FireIdleCallback", "FunctionCall", "MajorGC", "MinorGC", "RunMicrotasks",
    "TimerFire", "v8.callFunction", "v8.evaluateModule", "v8.run",
}
FRAME = "ProxyMain::BeginMainFrame"
FOLDER = os.path.dirname(os.path.abspath(__file__))


def scripts_of_frames(events):
    """Returns the milliseconds of scripts in each frame of the page thread with the most frames, and the frames per second."""
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
        # A task that begins inside another one is part of it.
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
    """Loads a page with an empty cache. Returns milliseconds from the beginning of the navigation."""
    browser.call("Network.clearBrowserCache")
    browser.call("Network.setBypassServiceWorker", bypass=True)
    browser.call("Page.navigate", url="about:blank")
    # Waits until the previous page has ended its work.
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
    """Returns the frames per second of a canvas in place of the page, with the lines of the view that the page showed."""
    lines = browser.evaluate(script("canvas.js"))
    if not lines:
        sys.exit("measure.py: the view has no lines")
    _, rate = scripts_of_frames(browser.trace(lambda: browser.pan(size, seconds)))
    return {"canvas_frames_per_second": rate, "canvas_lines": lines}


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("link")
    parser.add_argument("--path", default="/?live=off&history=on")
    parser.add_argument("--slower", type=float, default=1, help="factor by which the processor is slowed down")
    parser.add_argument("--size", default="1440x900", help="size of the window")
    parser.add_argument("--loads", type=int, default=5, help="number of loads of the page; the fastest one is used")
    parser.add_argument("--seconds", type=float, default=5, help="seconds for which the map is dragged")
    parser.add_argument("--no-drawing", action="store_true", help="omit the drawing, as with a graphics card; see no-drawing.js")
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
