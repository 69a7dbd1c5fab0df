#!/usr/bin/env python3
"""Compiles projects for Apple's systems against Godwit's Core Location, unchanged and after `godwit doctor --ios-source DIR --fix COPY`.

scripts/foreign-code DIR [--project OWNER/NAME …] [--godwit PATH] [--json FILE] [--markdown] [--tests]

DIR has a checkout of each project in a folder OWNER+NAME; nothing is downloaded. The result includes the files of a project that import
only Foundation, Core Location, Core Motion, Contacts, Dispatch and, in tests, XCTest and the project's own module. An error about a name
that only other files of the project declare is not an error of these modules: such a file is in the column "only with other files".

--tests runs the tests of each project that has a "manifest" in projects.json, in the copy that --fix creates. The changes in "manifest"
add this package as a dependency of the copy; nothing else of the copy is changed.
"""
import argparse
import collections
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ALLOWED = {"Foundation", "CoreLocation", "CoreMotion", "Contacts", "Dispatch", "XCTest", "Swift"}
IMPORT = re.compile(r"^[ \t]*(?:@\w+(?:\([^)]*\))?[ \t]+)*(?:public |internal |private )?import[ \t]+(?:class |struct |enum |protocol |typealias |func |let |var )?(\w+)", re.M)
ERROR = re.compile(r"^(/[^:\n]+):(\d+):\d+: error: (.*)$", re.M)
MISSING = re.compile(r"cannot find (?:type )?'(\w+)' in scope|no such module '(\w+)'|has no member '(\w+)'|no type named '(\w+)'|cannot find operator '([^']+)'")
APPLE = re.compile(r"'?(CL|CM|CN|kCL)[A-Z]")
DECLARED = re.compile(r"\b(?:class|struct|enum|protocol|actor|typealias|func|var|let|case)\s+`?(\w+)")


def run(command, **options):
    return subprocess.run(command, text=True, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, errors="replace", **options)


def swift_files(folder, places):
    found = []
    for place in places:
        for path, folders, names in os.walk(os.path.join(folder, place)):
            folders[:] = [name for name in folders if not name.startswith(".") and name not in ("Pods", "Carthage")]
            found += [os.path.join(path, name) for name in names if name.endswith(".swift") and name != "Package.swift"]
    return sorted(found)


def without_comments(text):
    return re.sub(r"//[^\n]*|/\*.*?\*/", "", text, flags=re.S)


def outside_conditions(text):
    kept, depth = [], 0
    for line in text.splitlines():
        word = line.strip()
        depth += word.startswith("#if")
        if depth == 0:
            kept.append(line)
        depth -= word.startswith("#endif")
    return "\n".join(kept)


class Compiler:
    def __init__(self, work):
        shown = run(["swift", "build", "--show-bin-path"], cwd=ROOT).stdout.strip().splitlines()[-1]
        self.modules, self.work = os.path.join(shown, "Modules"), work
        if not os.path.exists(os.path.join(self.modules, "CoreLocation.swiftmodule")):
            sys.exit("foreign-code: build the package first: swift build")
        # Only modules that a separate program could import.
        self.imports = os.path.join(work, "imports")
        os.makedirs(self.imports)
        for name in ("CoreLocation", "CoreMotion", "Contacts", "GodwitModel", "GodwitText", "GodwitTracks", "GodwitDBus", "GodwitDigests", "GodwitReceivers"):
            path = os.path.join(self.modules, name + ".swiftmodule")
            if os.path.exists(path):
                os.symlink(path, os.path.join(self.imports, name + ".swiftmodule"))
        self.flags = ["-swift-version", "5", "-wmo", "-suppress-warnings", "-diagnostic-style=llvm", "-I", self.imports, "-enable-testing"]
        for path in ("CExpat/module.modulemap", "CDBus/module.modulemap", "CDBus/include/module.modulemap"):
            if os.path.exists(os.path.join(ROOT, "Sources", path)):
                self.flags += ["-Xcc", "-fmodule-map-file=" + os.path.join(ROOT, "Sources", path)]

    def errors(self, files, module, built):
        """Returns {file: [message, …]}. If there are no errors, the module is written to `built` for its tests."""
        if not files:
            return {}
        # A file with statements at the top level is a program.
        is_program = any(os.path.basename(path) == "main.swift" for path in files)
        terms = [*([] if is_program else ["-parse-as-library"]), "-module-name", module, *self.flags, "-I", built, *files]
        completed = run(["swiftc", "-typecheck", *terms])
        found = collections.defaultdict(list)
        for path, _, message in ERROR.findall(completed.stdout):
            found[path].append(message)
        if not found and completed.returncode != 0:
            found[files[0]].append("the compiler stopped: " + completed.stdout.strip().splitlines()[-1][:200])
        if not found:
            run(["swiftc", "-emit-module", "-emit-module-path", os.path.join(built, module + ".swiftmodule"), *terms])
        return found


class Project:
    def __init__(self, entry, folder, compiler):
        self.entry, self.folder, self.compiler = entry, folder, compiler
        self.built = tempfile.mkdtemp(dir=compiler.work)
        self.texts, self.names = {}, {}

    def text(self, path):
        if path not in self.texts:
            with open(path, encoding="utf-8", errors="replace") as file:
                self.texts[path] = without_comments(file.read())
        return self.texts[path]

    def imports(self, path):
        return set(IMPORT.findall(self.text(path)))

    def candidates(self, files, built_modules):
        chosen, reasons = [], {}
        for path in files:
            names = self.imports(path)
            # An import inside #if may be inactive on Linux; the compiler decides.
            other = set(IMPORT.findall(outside_conditions(self.text(path)))) - ALLOWED - built_modules
            if other:
                reasons[path] = "imports " + ", ".join(sorted(other))
            elif self.entry.get("only") == "location" and not names & {"CoreLocation", "CoreMotion"}:
                continue
            else:
                chosen.append(path)
        return chosen, reasons

    def declared(self, path):
        if path not in self.names:
            self.names[path] = set(DECLARED.findall(self.text(path)))
        return self.names[path]

    def compiled(self, files, module):
        """Returns the files whose imports the compiler finds, their errors, and the reasons why the other files were omitted."""
        chosen, left_out, submodules = list(files), {}, {}
        while True:
            errors = self.compiler.errors(chosen, module, self.built)
            removed = {}
            for path, messages in errors.items():
                names = [match[1] for message in messages if (match := re.search(r"no such module '([\w.]+)'", message))]
                if names and names[0].startswith(("CoreLocation.", "CoreMotion.")):
                    # The compiler checks no other file until this one is removed.
                    removed[path] = submodules[path] = messages
                elif names:
                    removed[path] = left_out[path] = f"imports {names[0]}"
            if not removed:
                return chosen + list(submodules), {**errors, **submodules}, left_out
            chosen = [path for path in chosen if path not in removed]

    def judge(self, messages, inside, outside):
        """Returns the errors of a file that are due to Core Location or Foundation; `None` if the file needs other files of the project."""
        for message in messages:
            match = MISSING.search(message)
            name = next((part for part in match.groups() if part), None) if match else None
            if name and (name in outside and name not in inside or name in inside and "cannot find" not in message and not APPLE.search(message)):
                return None
        return messages

    def measure(self):
        """Returns {file: its errors, or None} of files that import only the allowed modules, and {file: what it needs} of the others."""
        modules, result, others = set(), {}, {}
        everything = swift_files(self.folder, ["."])
        for module, places in self.entry["modules"]:
            chosen, reasons = self.candidates(swift_files(self.folder, places), modules)
            chosen, errors, more = self.compiled(chosen, module)
            others.update(reasons | more)
            inside = set().union(*(self.declared(path) for path in chosen)) if chosen else set()
            outside = set().union(*(self.declared(path) for path in everything if path not in chosen))
            result.update({path: self.judge(errors.get(path, []), inside, outside) for path in chosen})
            if not errors and chosen:
                modules.add(module)
        return result, others


def relative(path, folder):
    return os.path.relpath(path, folder)


def measure(entry, folder, compiler, godwit):
    copy = os.path.join(compiler.work, entry["project"].replace("/", "+"))
    repaired = run([godwit, "doctor", "--ios-source", folder, "--fix", copy, "--json"])
    if not os.path.exists(copy):
        sys.exit(f"foreign-code: {entry['project']}: {repaired.stdout}")
    before, _ = Project(entry, folder, compiler).measure()
    after, others = Project(entry, copy, compiler).measure()
    before = {relative(path, folder): errors for path, errors in before.items()}
    after = {relative(path, copy): errors for path, errors in after.items()}
    counted = sorted(after)
    row = {
        "project": entry["project"],
        "files": len(counted),
        "lines": sum(sum(1 for _ in open(os.path.join(folder, path), encoding="utf-8", errors="replace")) for path in counted),
        "unchanged": sum(1 for path in counted if before.get(path) == []),
        "after": sum(1 for path in counted if after.get(path) == []),
        "hidden": sum(1 for path in counted if after.get(path, []) is None),
        "left": {path: after[path][:3] for path in counted if after.get(path)},
        "others": collections.Counter(others.values()).most_common(4),
        "other_files": len(others),
    }
    shutil.rmtree(copy)
    return row


def test(entry, folder, work, godwit):
    """Runs the project's own tests in the repaired copy. Returns whether all passed."""
    copy = os.path.join(work, "tests-" + entry["project"].replace("/", "+"))
    repaired = run([godwit, "doctor", "--ios-source", folder, "--fix", copy, "--json"])
    if not os.path.exists(copy):
        sys.exit(f"foreign-code: {entry['project']}: {repaired.stdout}")
    path = os.path.join(copy, "Package.swift")
    with open(path, encoding="utf-8") as file:
        manifest = file.read()
    for old, new in entry["manifest"]:
        if old not in manifest:
            sys.exit(f"foreign-code: {entry['project']}: Package.swift has no {old!r}; correct projects.json")
        manifest = manifest.replace(old, new.replace("GODWIT", ROOT))
    with open(path, "w", encoding="utf-8") as file:
        file.write(manifest)
    completed = run(["swift", "test", "--package-path", copy])
    result = [line.strip() for line in completed.stdout.splitlines() if line.strip().startswith("Executed ")]
    if not result:
        sys.exit(f"foreign-code: {entry['project']}: no test ran:\n{completed.stdout[-2000:]}")
    print(f"{entry['project']}: {result[-1]}")
    return completed.returncode == 0


def markdown(rows):
    lines = ["| project | files, lines | unchanged | after the tool | only with other files | not possible, and why |", "|---|---|---|---|---|---|"]
    for row in rows:
        why = sorted({errors[0] for errors in row["left"].values()})
        text = "; ".join(message.replace("|", "\\|") for message in why[:3]) or "–"
        lines.append(f"| {row['project']} | {row['files']}, {row['lines']:,} | {row['unchanged']} | {row['after']} | {row['hidden']} | {text} |")
    keys = ("files", "lines", "unchanged", "after", "hidden")
    total = {key: sum(row[key] for row in rows) for key in keys}
    lines.append("| **all {}** | {files}, {lines:,} | {unchanged} | {after} | {hidden} | |".format(len(rows), **total))
    return "\n".join(lines)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder")
    parser.add_argument("--project", action="append")
    parser.add_argument("--godwit")
    parser.add_argument("--json")
    parser.add_argument("--markdown", action="store_true")
    parser.add_argument("--tests", action="store_true")
    options = parser.parse_args()
    with open(os.path.join(os.path.dirname(__file__), "projects.json"), encoding="utf-8") as file:
        projects = json.load(file)
    if options.project:
        projects = [entry for entry in projects if entry["project"] in options.project]
    with tempfile.TemporaryDirectory() as work:
        compiler = Compiler(work)
        godwit = options.godwit or os.path.join(os.path.dirname(compiler.modules), "godwit-tracker")
        rows = []
        for entry in projects:
            folder = os.path.join(options.folder, entry["project"].replace("/", "+"))
            if not os.path.isdir(folder):
                print(f"foreign-code: {folder} is missing: {entry['project']} is left out", file=sys.stderr)
                continue
            if options.tests:
                if "manifest" in entry:
                    rows.append(test(entry, folder, work, godwit))
                continue
            row = measure(entry, folder, compiler, godwit)
            rows.append(row)
            print(f"{row['project']}: {row['files']} files, unchanged {row['unchanged']}, after the tool {row['after']}, hidden {row['hidden']}; "
                  f"{row['other_files']} others: {', '.join(f'{why} ({count})' for why, count in row['others'])}", file=sys.stderr)
            for path, errors in row["left"].items():
                print(f"    {path}: {'; '.join(errors)}", file=sys.stderr)
    if options.tests:
        sys.exit(0 if rows and all(rows) else 1)
    if options.json:
        with open(options.json, "w", encoding="utf-8") as file:
            json.dump(rows, file, indent=1)
    if options.markdown or not options.json:
        print(markdown(rows))


main()
