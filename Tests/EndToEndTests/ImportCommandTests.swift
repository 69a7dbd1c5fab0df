import Foundation
import Testing

@Suite("godwit import", .timeLimit(.minutes(20)))
struct ImportCommandTests {
  /// Returns a CSV file with one point per second, alternating between two devices.
  private static func lines(_ count: Int) -> Data {
    var text = "time,lat,lon,device id\n"
    for index in 0..<count { text += "\(1_700_000_000 + index),46.\(100_000 + index % 800_000),14.5,\(index % 2)\n" }
    return Data(text.utf8)
  }

  private static func points(_ data: [String]) throws -> Int {
    let list = try Executable.run(["device", "list", "--json"] + data)
    let found = list.text.firstMatch(of: #/"points":(\d+)/#)
    return found.flatMap { Int($0.1) } ?? 0
  }

  @Test("continues after a kill, and stores each point once")
  func killed() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("long.csv")
    try Self.lines(300_000).write(to: URL(fileURLWithPath: file))
    let data = ["--data", folder.path("data")]
    // The kernel kills the import with SIGXFSZ when a file would exceed 4 MB, independent of the speed of the machine.
    let limit = "ulimit -c 0; ulimit -f 8000; exec env --default-signal=XFSZ"
    let first = try Executable.run(
      URL(fileURLWithPath: "/bin/sh"),
      ["-c", "\(limit) '\(Executable.godwit.path)' import '\(file)' --device phone --data '\(data[1])'"])
    #expect(first.status == SIGXFSZ, "\(first.errorOutput)")
    let before = try Self.points(data)
    #expect(before > 0 && before < 300_000)
    let second = try Executable.run(["import", file, "--device", "phone", "--json"] + data)
    #expect(second.status == 0)
    #expect(second.errorOutput.contains("continues after"), "\(second.errorOutput)")
    #expect(second.text.contains(#""records":300000"#) && second.text.contains(#""saved":300000"#), "\(second.text)")
    #expect(try Self.points(data) == 300_000)
  }

  @Test("reads folders, standard input and archives, and reports what it skips")
  func sources() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data"), "--json"]
    let tracks = folder.url.appendingPathComponent("tracks")
    try FileManager.default.createDirectory(
      at: tracks.appendingPathComponent("deep"), withIntermediateDirectories: true)
    try Self.lines(10).write(to: tracks.appendingPathComponent("deep/a.csv"))
    try Data("a picture".utf8).write(to: tracks.appendingPathComponent("b.png"))
    try Data("time,lat,lon\n1,2,3\n".utf8).write(to: tracks.appendingPathComponent(".hidden.csv"))
    let report = folder.path("report")
    let found = try Executable.run(["import", tracks.path, "--device", "a", "--report", report] + data)
    #expect(found.status == 0 && found.text.contains(#""saved":10"#), "\(found.errorOutput)")
    #expect(found.errorOutput.contains("b.png: skipped") && !found.text.contains("hidden"))
    try Data("time,lat,lon\n1700000000,91,3\n1700000001,1,3\n".utf8).write(to: tracks.appendingPathComponent("c.csv"))
    let second = try Executable.run(["import", tracks.path + "/c.csv", "--device", "a", "--report", report] + data)
    #expect(second.text.contains(#""skipped":1"#))
    #expect(second.text.contains(#""kind":"latitude #, longitude # is not a valid position""#))
    let lines = try String(contentsOfFile: report, encoding: .utf8)
    #expect(lines.contains(#""place":"line 2, byte 13","byte":13"#), "\(lines)")
    let piped = try Executable.run(
      URL(fileURLWithPath: "/bin/sh"),
      [
        "-c",
        "gzip -c '\(tracks.path)/deep/a.csv' | '\(Executable.godwit.path)' import - --device b --data '\(folder.path("data"))'",
      ])
    #expect(piped.status == 0 && piped.text.contains("-: gzip, 10 new points."), "\(piped.errorOutput)")
  }

  @Test("analyses a file without storing anything, and maps its devices")
  func devices() throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    let file = folder.path("cars.csv")
    try Self.lines(10).write(to: URL(fileURLWithPath: file))
    let dry = try Executable.run(["import", file, "--dry-run"] + data)
    #expect(dry.status == 0 && dry.text.hasSuffix("CSV, 10 records.\n"), "\(dry.text)\(dry.errorOutput)")
    #expect(dry.errorOutput.contains("5 records of the name \"1\""), "\(dry.errorOutput)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("data")))
    let whose = try Executable.run(["import", file] + data)
    #expect(whose.status == 2 && whose.errorOutput.contains("--map NAME=DEVICE"))
    let mapped = try Executable.run(["import", file, "--map", "1=van"] + data)
    #expect(mapped.text.contains("5 new points, 5 from unmapped devices"), "\(mapped.text)")
    let wrong = try Executable.run(["import", file, "--map", "van"] + data)
    #expect(wrong.status == 2 && wrong.errorOutput.contains("is not NAME=DEVICE"))
  }

  @Test("asks for the order of day and month, and fails if nothing could be imported")
  func rejections() throws {
    let folder = try TemporaryFolder()
    let data = ["--device", "a", "--data", folder.path("data")]
    let dates = folder.path("dates.csv")
    try Data("time,lat,lon\n1/2/2024,46,14.5\n".utf8).write(to: URL(fileURLWithPath: dates))
    let asked = try Executable.run(["import", dates] + data)
    #expect(asked.status == 1 && asked.errorOutput.contains("--date-order dmy or --date-order mdy"), "\(asked.errorOutput)")
    let reported = try Executable.run(["import", dates, "--date-order", "mdy"] + data)
    #expect(reported.status == 0 && reported.text.contains("CSV, 1 new point."), "\(reported.text)\(reported.errorOutput)")
    let single = folder.path("single.csv")
    let lines = "time,lat,lon\n2024-01-02T00:00:00Z,46,14.5\n2024-01-02T00:01:00Z,91,14.5\n"
    try Data(lines.utf8).write(to: URL(fileURLWithPath: single))
    let one = try Executable.run(["import", single, "--dry-run"] + data)
    #expect(one.status == 0 && one.text.hasSuffix("CSV, 1 record, 1 part skipped.\n"), "\(one.text)\(one.errorOutput)")
    let wrong = try Executable.run(["import", dates, "--date-order", "ymd"] + data)
    #expect(wrong.status == 2 && wrong.errorOutput.contains("expected dmy (day first) or mdy (month first)"))
    let places = folder.path("places.gpx")
    let waypoints = #"<wpt lat="1" lon="1"><time>2026-01-01T00:00:00Z</time></wpt>"#
    try Data("<gpx>\(waypoints)\(waypoints)</gpx>".utf8).write(to: URL(fileURLWithPath: places))
    for more in [[], ["--dry-run"]] {
      let unusable = try Executable.run(["import", places] + more + data)
      #expect(
        unusable.status == 1 && unusable.errorOutput.contains("no usable records: it has 2 waypoints"), "\(unusable.errorOutput)")
    }
    let json = try Executable.run(["import", places, "--json"] + data)
    #expect(json.status == 1 && json.text.contains(#""state":"nothing_usable""#) && json.text.contains(#""waypoints":2"#))
  }

  @Test("reads a named pipe once")
  func namedPipe() throws {
    let folder = try TemporaryFolder()
    let (pipe, file) = (folder.path("pipe"), folder.path("a.csv"))
    try Self.lines(1000).write(to: URL(fileURLWithPath: file))
    let result = try Executable.run(
      URL(fileURLWithPath: "/bin/sh"),
      [
        "-c",
        "mkfifo '\(pipe)' && { cat '\(file)' > '\(pipe)' & '\(Executable.godwit.path)' import '\(pipe)' --device b --data '\(folder.path("data"))'; }",
      ])
    #expect(result.status == 0 && result.text.contains("CSV, 1,000 new points."), "\(result.text)\(result.errorOutput)")
  }

  @Test(
    "reports a failed write to standard output, and ends without an error when a reader closes the pipe",
    arguments: ["gpx", "csv", "geojson", "nmea", "--json"])
  func fullDisk(_ what: String) throws {
    let folder = try TemporaryFolder()
    let data = ["--data", folder.path("data")]
    let file = folder.path("a.csv")
    try Self.lines(5000).write(to: URL(fileURLWithPath: file))
    let command = what == "--json" ? ["device", "list", "--json"] : ["export", "--device", "a", "--format", what]
    #expect(try Executable.run(["import", file, "--device", "a"] + data).status == 0)
    let words = ([Executable.godwit.path] + command + data).map { "'\($0)'" }.joined(separator: " ")
    func shell(_ script: String) throws -> Executable.Result {
      try Executable.run(URL(fileURLWithPath: "/bin/bash"), ["-c", script])
    }
    let full = try shell("\(words) > /dev/full")
    #expect(
      full.status == 1 && full.errorOutput.contains("standard output: the disk is full"), "\(full.status) \(full.errorOutput)")
    let gone = try shell("set -o pipefail; \(words) | head -c 5")
    #expect(gone.status == 0 && gone.errorOutput.isEmpty && gone.output.count == 5, "\(gone.status) \(gone.errorOutput)")
  }
}
