import Foundation
import Testing

#if os(Linux)
  /// Runs `godwit track` on the same file several times.
  @Suite("A replay that is stopped and started again")
  struct ReplayResumeTests {
    private func track(_ folder: TemporaryFolder, _ source: String, _ options: [String]) throws -> Executable.Result {
      try Executable.run(
        [
          "track", "--source", source, "--endpoint", "http://127.0.0.1:9/", "--journal", folder.path("journal"), "--machine",
          "off",
        ]
          + options)
    }

    /// Returns the number of pending records that the doctor reports.
    private func waiting(_ folder: TemporaryFolder) throws -> Int {
      let result = try Executable.run(["doctor", "--journal", folder.path("journal"), "--data", folder.path("data"), "--json"])
      return Int(try #require(result.text.firstMatch(of: #/: (\d+) waiting/#)).1) ?? -1
    }

    private func interrupted(_ folder: TemporaryFolder, speed: String, _ body: (Background) async throws -> Void) async throws {
      let tracker = try Background(
        Executable.godwit,
        [
          "track", "--source", Walk.file.path, "--speed", speed, "--endpoint", "http://127.0.0.1:9/", "--journal",
          folder.path("journal"), "--machine", "off", "--json",
        ], in: folder)
      try await body(tracker)
    }

    // Three starts once recorded 500 fixes three times.
    @Test(
      "records each fix once, however often it is killed; a complete file records nothing and is reported",
      .timeLimit(.minutes(20)))
    func killed() async throws {
      let folder = try TemporaryFolder()
      let walk = try Walk.points()
      for _ in 0..<6 {
        try await interrupted(folder, speed: "600") { tracker in
          try await Task.sleep(for: .seconds(1))
          tracker.kill()
          _ = try await tracker.waitForEnd()
        }
      }
      // To the end of the file, and a second time.
      for isAgain in [false, true] {
        try await interrupted(folder, speed: "max") { tracker in
          _ = try await tracker.wait("the whole walk") {
            tracker.text.firstMatch(of: #/"waiting":(\d+)/#).flatMap { _ in
              tracker.text.contains("\"waiting\":\(walk.count)") ? true : nil
            }
          }
          try await Task.sleep(for: .milliseconds(300))
          tracker.interrupt()
          _ = try await tracker.waitForEnd()
        }
        #expect(try waiting(folder) == walk.count, "again: \(isAgain)")
      }
      let tracker = try Background(
        Executable.godwit,
        [
          "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", "http://127.0.0.1:9/", "--journal",
          folder.path("journal"), "--machine", "off",
        ], in: folder)
      _ = try await tracker.wait("what was recorded before") { tracker.errorOutput.contains("recorded before") ? true : nil }
      tracker.interrupt()
      #expect(try await tracker.waitForEnd() == 0)
      #expect(
        tracker.errorOutput.contains("recorded before") && tracker.errorOutput.contains("--from-start"), "\(tracker.errorOutput)")
    }

    // Without the check the program would print "Replayed 0 fixes." and end with status 0.
    @Test("a file with nothing to replay ends with status 1 and the reason", .timeLimit(.minutes(20)))
    func nothing() throws {
      let folder = try TemporaryFolder()
      let file = folder.path("route.gpx")
      try Data(#"<gpx version="1.1" creator="x"><trk><trkseg><trkpt lat="1" lon="2"/></trkseg></trk></gpx>"#.utf8)
        .write(to: URL(fileURLWithPath: file))
      let result = try track(folder, file, ["--speed", "max", "--until-sent"])
      #expect(result.status == 1 && result.errorOutput.contains("1 track point has no time"), "\(result.errorOutput)")
    }

    // With umask 022 a new file is readable by every user by default.
    @Test(
      "the tracker's folder and files belong to its user only, and the doctor finds those that do not", .timeLimit(.minutes(20)))
    func modes() throws {
      let folder = try TemporaryFolder()
      let data = folder.path("tracker")
      let shell = try #require(Executable.find("sh"))
      let line =
        #"umask 022; exec "$1" track --source "$2" --speed max --until-sent --endpoint http://127.0.0.1:9/ --journal "$3""#
      let empty = folder.path("empty.gpx")
      try Walk.write([], to: empty)
      _ = try Executable.run(shell, ["-c", line, "sh", Executable.godwit.path, empty, data + "/journal"])
      func mode(_ path: String) throws -> Int? {
        (try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber)?.intValue
      }
      #expect(try mode(data) == 0o700)
      for suffix in ["", ".lock"] { #expect(try mode(data + "/journal" + suffix) == 0o600) }
      try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: data + "/journal")
      let checked = try Executable.run(["doctor", "--journal", data + "/journal", "--data", folder.path("data")])
      #expect(checked.text.contains("can be read by others; chmod 600"), "\(checked.text)")
    }

    private static var compiler: URL? { Executable.find("cc") ?? Executable.find("clang") }

    // libfaketime changes the environment before `main`, which moves the arguments in memory.
    @Test(
      "a program whose environment was changed before its start still gets its arguments",
      .enabled(if: compiler != nil, "no C compiler is installed"), .timeLimit(.minutes(20)))
    func arguments() throws {
      let compiler = try #require(Self.compiler)
      let folder = try TemporaryFolder()
      try """
      #include <stdlib.h>
      __attribute__((constructor)) static void set(void) { setenv("GODWIT_A", "1", 1); setenv("GODWIT_B", "2", 1); }
      """.write(toFile: folder.path("set.c"), atomically: true, encoding: .utf8)
      let built = try Executable.run(compiler, ["-shared", "-fPIC", "-o", folder.path("set.so"), folder.path("set.c")])
      #expect(built.status == 0, "\(built.errorOutput)")
      let result = try Executable.run(
        ["coverage", "--journal", folder.path("none")], environment: ["LD_PRELOAD": folder.path("set.so")])
      #expect(
        result.status == 1 && result.errorOutput.contains("there is no journal"),
        "\(result.errorOutput) \(result.text.prefix(80))")
    }

    // A symbolic link to a folder of tracks, and two folders of the same name.
    @Test("a simulation follows a link to a folder, and distinguishes two folders with the same name", .timeLimit(.minutes(20)))
    func routes() throws {
      let folder = try TemporaryFolder()
      for person in ["003", "004"] {
        let days = folder.url.appendingPathComponent("\(person)/Trajectory")
        try FileManager.default.createDirectory(at: days, withIntermediateDirectories: true)
        try FileManager.default.copyItem(at: Walk.file, to: days.appendingPathComponent("walk.gpx"))
      }
      try FileManager.default.createSymbolicLink(atPath: folder.path("link"), withDestinationPath: folder.path("003"))
      let result = try Executable.run([
        "simulate", "--route", folder.path("003/Trajectory"), "--route", folder.path("004/Trajectory"), "--route",
        folder.path("link"), "--policy", "battery-saving",
      ])
      #expect(result.status == 0 && result.text.contains("3 days on 3 routes"), "\(result.text) \(result.errorOutput)")
    }
  }
#endif
