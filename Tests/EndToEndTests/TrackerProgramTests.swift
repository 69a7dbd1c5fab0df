import Foundation
import Testing

/// `godwit-tracker`, the executable without the server.
@Suite("The tracker's own program")
struct TrackerProgramTests {
  private static var program: URL {
    Executable.godwit.deletingLastPathComponent().appendingPathComponent("godwit-tracker")
  }

  @Test(
    "every command has help under the name of the program",
    arguments: ["login", "track", "setup", "coverage", "purge", "replay-events", "settings", "convert", "doctor"])
  func help(_ command: String) throws {
    #expect(try Executable.run(Self.program, ["--help"]).text.contains("\n  \(command) "))
    let help = try Executable.run(Self.program, [command, "--help"])
    #expect(help.status == 0 && help.text.contains("Usage: godwit-tracker \(command)"))
    #expect(help.text.contains("godwit-tracker \(command)") && !help.text.contains("godwit \(command)"), "\(help.text)")
  }

  @Test(
    "a message about wrong usage names the program and its commands",
    arguments: [["serve"], ["track", "--source", "x"], ["doctor", "--server"]])
  func wrongUsage(_ words: [String]) throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(Self.program, words, environment: ["GODWIT_DATA": folder.path("data")])
    #expect(result.status == 2 && result.errorOutput.hasPrefix("godwit-tracker: "), "\(result.errorOutput)")
    #expect(
      result.errorOutput.contains("--help") || result.errorOutput.contains("godwit-tracker setup LINK"), "\(result.errorOutput)")
  }

  @Test("a replayed file is recorded, and the coverage log and the doctor work on its journal", .timeLimit(.minutes(20)))
  func tracks() async throws {
    let folder = try TemporaryFolder()
    let (journal, count) = (folder.path("journal"), try Walk.points().count)
    let tracker = try Background(
      Self.program,
      [
        "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", "http://127.0.0.1:9/", "--journal", journal,
        "--json",
      ], in: folder)
    try await tracker.wait("the records") { tracker.text.contains("\"waiting\":\(count)") ? true : nil }
    tracker.interrupt()
    #expect(try await tracker.waitForEnd() == 0)
    #expect(try Executable.run(Self.program, ["coverage", "--journal", journal]).errorOutput.contains("No tracker runs"))
    #expect(try Executable.run(Self.program, ["doctor", "--journal", journal]).text.contains("\(count) waiting"))
    let other = try Executable.run(Self.program, ["convert", Walk.file.path, folder.path("new")])
    #expect(other.status == 1, "\(other)")
  }

  @Test("Ctrl-C ends the program with the number of pending records", .timeLimit(.minutes(20)))
  func interrupted() async throws {
    let folder = try TemporaryFolder()
    let tracker = try Background(
      Self.program,
      [
        "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", "http://127.0.0.1:9/", "--journal",
        folder.path("journal"),
      ], in: folder)
    try await tracker.wait("the replay") { tracker.errorOutput.contains("Replayed") ? true : nil }
    tracker.interrupt()
    #expect(try await tracker.waitForEnd() == 0)
    #expect(tracker.errorOutput.contains("records are queued in the journal"), "\(tracker.errorOutput)")
  }

  @Test("records that cannot be written because the disk is full are reported at the end", .timeLimit(.minutes(20)))
  func unwritten() async throws {
    let (folder, count) = (try TemporaryFolder(), try Walk.points().count)
    let words = [
      Self.program.path, "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", "http://127.0.0.1:9/",
      "--journal", folder.path("journal"), "--json",
    ]
    // Limits the size of a file to 90 kB.
    let shell = URL(fileURLWithPath: "/bin/sh")
    let tracker = try Background(
      shell, ["-c", #"trap "" XFSZ; ulimit -f 180; exec "$@""#, "sh"] + words, in: folder)
    try await tracker.wait("the records") { tracker.text.contains("\"waiting\":\(count)") ? true : nil }
    tracker.interrupt()
    #expect(try await tracker.waitForEnd() == 1)
    #expect(
      tracker.errorOutput.contains("\(count) records could not be written to the journal and are lost"), "\(tracker.errorOutput)")
  }

  @Test("a source or a folder that cannot be used is reported once, with the reason")
  func unusable() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("cut.gpx")
    try String(decoding: Data(contentsOf: Walk.file).prefix(3000), as: UTF8.self).write(
      toFile: file, atomically: true, encoding: .utf8)
    func track(_ source: String, journal: String) throws -> String {
      let result = try Executable.run(
        Self.program,
        [
          "track", "--source", source, "--speed", "max", "--until-sent", "--endpoint", "http://127.0.0.1:9/", "--journal",
          journal,
        ])
      #expect(result.status == 1, "\(result.errorOutput)")
      return result.errorOutput
    }
    let cut = try track(file, journal: folder.path("journal"))
    #expect(cut.components(separatedBy: "cut.gpx: ").count == 2, "\(cut)")
    #expect(try track(folder.url.path, journal: folder.path("journal")).contains("is a folder"))
    let impossible = try track(Walk.file.path, journal: file + "/folder/journal")
    #expect(impossible.contains("the folder cannot be created") && !impossible.contains("NSCocoa"), "\(impossible)")
  }

  #if os(Linux)
    /// Returns the libraries that a program loads, including those of its libraries.
    private static func libraries(of program: URL) throws -> String {
      let result = try Executable.run(try #require(Executable.find("ldd")), [program.path])
      try #require(result.status == 0, "\(result.errorOutput)")
      return result.text
    }

    @Test(
      "the program does not load the libraries of the server",
      arguments: ["libpq.so", "libmosquitto.so", "libarchive.so", "libqrencode.so"])
    func libraries(_ name: String) throws {
      #expect(try !Self.libraries(of: Self.program).contains(name))
      #expect(
        try Self.libraries(of: Executable.godwit).contains(name), "godwit does not load \(name), so the test proves nothing")
    }
  #endif
}
