#!/usr/bin/env python3
"""Imports every file of a folder into a new store and compares the points with those of gpsbabel and gpxpy: scripts/foreign-files DIR.

Options: --godwit PATH (default: .build/release/godwit or the debug build), --json FILE (all rows), --only-differences.
Each row is a file: its format, the points that godwit stored, those that gpsbabel and gpxpy find with a time and a place, and
whether the values (time, place, altitude, speed) of the shared points are the same. The exit status is 1 if godwit crashed, hung or
stored fewer points than gpsbabel and gpxpy both find.
"""

import argparse
import csv
import datetime
import io
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile

# The names of the formats in gpsbabel. Other formats are not compared with it.
BABEL = {"GPX": "gpx", "KML": "kml", "TCX": "gtrnctr", "NMEA 0183": "nmea", "CSV": "unicsv,utc=0", "FIT": "garmin_fit",
         "IGC": "igc", "GeoLife PLT": None}


def run(words, seconds=120):
    """Runs a program. The status is None if it did not end."""
    try:
        done = subprocess.run(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=seconds, check=False)
    except subprocess.TimeoutExpired:
        return None, b"", b"it did not end"
    return done.returncode, done.stdout, done.stderr


def moment(text):
    """Seconds since 1970 of an RFC 3339 time."""
    return datetime.datetime.fromisoformat(text.replace("Z", "+00:00")).timestamp()


def number(text):
    try:
        return float(text)
    except (TypeError, ValueError):
        return None


class Point:
    """The values of a point that are compared."""

    def __init__(self, time, latitude, longitude, altitude=None, speed=None):
        self.time, self.latitude, self.longitude = time, latitude, longitude
        self.altitude, self.speed = altitude, speed

    def differs(self, other):
        """Returns the first difference, or None if all values that both points have are the same."""
        if abs(self.latitude - other.latitude) > 2e-6:
            return f"latitude {self.latitude} and {other.latitude}"
        if abs((self.longitude - other.longitude + 180) % 360 - 180) > 2e-6:
            return f"longitude {self.longitude} and {other.longitude}"
        # gpsbabel writes 0 for an altitude that a file does not have.
        if self.altitude is None and other.altitude:
            return f"no altitude and {other.altitude}"
        # gpsbabel writes one decimal of altitudes and two of speeds.
        if self.altitude is not None and other.altitude is not None and abs(self.altitude - other.altitude) > 0.11:
            return f"altitude {self.altitude} and {other.altitude}"
        if self.speed is not None and other.speed is not None and abs(self.speed - other.speed) > 0.06:
            return f"speed {self.speed} and {other.speed}"
        return None


def godwit(program, path):
    """Imports a file. Returns the output of the command and the stored points."""
    folder = tempfile.mkdtemp(prefix="foreign-files-")
    try:
        status, text, notes = run([program, "import", path, "--device", "a", "--json", "--data", folder])
        try:
            output = json.loads(text)
        except ValueError:
            output = {}
        output["status"], output["notes"] = status, notes.decode("utf-8", "replace").strip()
        points = []
        if output.get("saved"):
            _, table, _ = run([program, "export", "--device", "a", "--format", "csv", "--data", folder])
            for row in csv.DictReader(io.StringIO(table.decode("utf-8"))):
                points.append(Point(moment(row["timestamp"]), float(row["latitude"]), float(row["longitude"]),
                                    number(row["altitude"]), number(row["speed"])))
        return output, points
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def gpsbabel(name, path):
    """Returns the points of tracks with a time that gpsbabel reads, or None if it cannot read the file."""
    # Its unicsv reads the positions of tables as waypoints.
    kinds = [] if name.startswith("unicsv") else ["-t"]
    status, output, _ = run(["gpsbabel", *kinds, "-i", name, "-f", path, "-o", "unicsv,utc=0,format=ddd,fields=lat", "-F", "-"])
    if status != 0:
        status, output, _ = run(["gpsbabel", *kinds, "-i", name, "-f", path, "-o", "unicsv,utc=0", "-F", "-"])
    if status != 0:
        return None
    points = []
    for row in csv.DictReader(io.StringIO(output.decode("utf-8", "replace"))):
        if not row.get("Date") or not row.get("Time"):
            continue
        try:
            time = moment(row["Date"].replace("/", "-") + "T" + row["Time"] + "Z")
            points.append(Point(time, float(row["Latitude"]), float(row["Longitude"]), number(row.get("Altitude")),
                                number(row.get("Speed"))))
        except (TypeError, ValueError):
            continue
    return points


def gpxpy_points(path):
    """Returns the points of tracks with a time that gpxpy reads, or None if it is not installed or cannot read the file."""
    try:
        import gpxpy
    except ImportError:
        return None
    try:
        with open(path, encoding="utf-8-sig") as file:
            tracks = gpxpy.parse(file).tracks
    except Exception:  # noqa: BLE001: after any error the file was not read.
        return None
    points = [point for track in tracks for segment in track.segments for point in segment.points if point.time]
    return [Point(p.time.replace(tzinfo=p.time.tzinfo or datetime.timezone.utc).timestamp(), p.latitude, p.longitude, p.elevation)
            for p in points]


def valid(points):
    return [p for p in points if abs(p.latitude) <= 90 and abs(p.longitude) <= 180 and 0 <= p.time < 7258118400]


def distinct(points):
    """Returns the number of points that a store would have: points with the same time and place are one."""
    return len({(round(p.time * 1000), round(p.latitude, 6), round(p.longitude, 6)) for p in points})


def compare(ours, theirs):
    """Returns the first difference between points of the same second, or None if there is none."""
    by_time = {}
    for point in ours:
        by_time.setdefault(math.floor(point.time), []).append(point)
    for point in theirs:
        found = by_time.get(math.floor(point.time))
        if not found:
            return f"nothing at {datetime.datetime.fromtimestamp(point.time, datetime.timezone.utc).isoformat()}"
        differences = [candidate.differs(point) for candidate in found]
        if all(differences):
            return differences[0]
    return None


def examine(program, folder, path):
    output, points = godwit(program, path)
    name = output.get("format")
    row = {"file": os.path.relpath(path, folder), "format": name or "-", "points": len(points), "state": output.get("state", "done" if name else "refused"),
           "saved": output.get("saved", 0), "skipped": output.get("skipped", 0), "without_time": output.get("without_time", 0),
           "waypoints": output.get("waypoints", 0), "status": output["status"], "notes": output["notes"][:300]}
    if output["status"] is None or output["status"] < 0 or output["status"] > 128:
        row["fault"] = "it crashed or did not end"
        return row
    babel = BABEL.get(name)
    peers = {}
    if babel and shutil.which("gpsbabel"):
        peers["gpsbabel"] = gpsbabel(babel, path)
    if name == "GPX":
        peers["gpxpy"] = gpxpy_points(path)
    counts = []
    for peer, found in peers.items():
        if found is None:
            continue
        found = valid(found)
        if name == "IGC":
            # gpsbabel creates a second track with the altitudes of the barometer.
            for point in found:
                point.altitude = None
        row[peer] = distinct(found)
        counts.append(distinct(found))
        difference = compare(points, found)
        if difference:
            row[peer + "_difference"] = difference
    # Stored points that differ by less than the rounding of distinct() are still separate points.
    if counts and max(len(points), distinct(points)) < min(counts):
        row["fault"] = f"{len(points)} points, where others find {min(counts)}"
    return row


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR")
    builds = [".build/release/godwit", ".build/debug/godwit"]
    here = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..")
    found = next((os.path.join(here, build) for build in builds if os.path.exists(os.path.join(here, build))), "godwit")
    parser.add_argument("--godwit", default=found)
    parser.add_argument("--json", metavar="FILE")
    parser.add_argument("--only-differences", action="store_true")
    words = parser.parse_args()
    rows = []
    print(f"{'file':56} {'format':16} {'points':>7} {'gpsbabel':>8} {'gpxpy':>7}  notes")
    for folder, _, names in sorted(os.walk(words.folder)):
        for name in sorted(names):
            if name.startswith("."):
                continue
            row = examine(words.godwit, words.folder, os.path.join(folder, name))
            rows.append(row)
            differences = [f"{peer}: {row[peer + '_difference']}" for peer in ("gpsbabel", "gpxpy") if peer + "_difference" in row]
            remark = "; ".join(([row["fault"]] if "fault" in row else []) + differences) or (
                row["state"] if row["state"] != "done" else "the same" if "gpsbabel" in row or "gpxpy" in row else "")
            if words.only_differences and not differences and "fault" not in row:
                continue
            print(f"{row['file'][-56:]:56} {row['format'][:16]:16} {row['points']:7} {row.get('gpsbabel', '-'):>8} "
                  f"{row.get('gpxpy', '-'):>7}  {remark}", flush=True)
    if words.json:
        with open(words.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    compared = [row for row in rows if "gpsbabel" in row or "gpxpy" in row]
    same = [row for row in compared if not any(key.endswith("_difference") for key in row) and "fault" not in row]
    faults = [row for row in rows if "fault" in row]
    states = {state: sum(row["state"] == state for row in rows) for state in sorted({row["state"] for row in rows})}
    print(f"\n{len(rows)} files, {sum(row['points'] for row in rows):,} points; "
          + ", ".join(f"{count} {state}" for state, count in states.items())
          + f"; {len(compared)} compared, {len(same)} the same; {len(faults)} with fewer points, a crash or no end.")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
