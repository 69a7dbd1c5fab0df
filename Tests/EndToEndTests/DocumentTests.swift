import Foundation
import Testing

@Suite("The documents")
struct DocumentTests {
  /// The lines of the documents and of the help that are commands of `godwit`.
  static let commands: [String] = {
    var texts = [
      "README.md", "Documentation/Tour.md", "Documentation/CommandLine.md", "Documentation/Settings.md", "Documentation/Panel.md",
      "Documentation/Linux.md", "Documentation/Clients.md", "CONTRIBUTING.md",
    ].map {
      (try? String(contentsOf: Walk.root.appendingPathComponent($0), encoding: .utf8)) ?? ""
    }
    for command in [
      "", "demo", "serve", "track", "import", "export", "device", "device add", "device list", "device topics", "doctor",
      "settings",
    ] {
      let words = command.split(separator: " ").map(String.init)
      texts.append((try? Executable.run(words + ["--help"]).text) ?? "")
    }
    return texts.flatMap { $0.components(separatedBy: .newlines) }.map { $0.trimmingCharacters(in: .whitespaces) }
      .filter { $0.hasPrefix("godwit ") }
  }()

  @Test("the program accepts every documented command", arguments: commands)
  func understood(_ line: String) throws {
    let folder = try TemporaryFolder()
    let script = "godwit() { \"$GODWIT\" \"$@\"; }; \(line)"
    let result = try Executable.run(
      try #require(Executable.find("bash")), ["-c", "cd \(folder.url.path) && touch old-walks; \(script)"],
      environment: ["GODWIT": Executable.godwit.path, "GODWIT_CHECK_USAGE": "1", "TOKEN": "x"])
    #expect(result.status == 0, "\(result.errorOutput)")
  }

  /// The rows of the threat model: the threat, and the cell that lists the tests.
  static let threats: [(threat: String, tests: String)] = {
    let page = try? String(contentsOf: Walk.root.appendingPathComponent("Documentation/Security.md"), encoding: .utf8)
    let section = page?.components(separatedBy: "## Threat model").last?.components(separatedBy: "\n## ").first ?? ""
    return section.components(separatedBy: .newlines).filter { $0.hasPrefix("| ") && !$0.hasPrefix("| threat ") }.map { row in
      let cells = row.split(separator: "|").map { $0.trimmingCharacters(in: .whitespaces) }
      return (cells.first ?? "", cells.last ?? "")
    }
  }()

  @Test("every threat names an existing test")
  func threats() throws {
    #expect(Self.threats.count >= 20)
    let tests = Walk.root.appendingPathComponent("Tests")
    let files = FileManager.default.enumerator(at: tests, includingPropertiesForKeys: nil)?.compactMap { $0 as? URL } ?? []
    let sources = files.filter { $0.pathExtension == "swift" }
      .compactMap { try? String(contentsOf: $0, encoding: .utf8) }
    for (threat, cell) in Self.threats {
      let suites = cell.matches(of: #/`([A-Za-z]+)`/#).map { String($0.1) }
      #expect(!suites.isEmpty, "\(threat): no test")
      for suite in suites {
        #expect(
          sources.contains {
            $0.contains("struct \(suite) {") || $0.contains("class \(suite) {") || $0.contains("struct \(suite):")
          },
          "\(threat): there is no suite \(suite)")
      }
    }
  }

  @Test("the documents have many commands")
  func many() { #expect(Self.commands.count >= 20) }

  /// The rows of the table of commands: the words of a command, and its description up to a link or an option.
  static let rows: [(command: String, description: String)] = {
    let page = try? String(contentsOf: Walk.root.appendingPathComponent("Documentation/CommandLine.md"), encoding: .utf8)
    return (page ?? "").matches(of: /\| `godwit ([a-z -]+)` \| (.+?)( See .*| `--.*)? \|\n/).map {
      (String($0.1), String($0.2))
    }
  }()

  @Test("the table of commands has the descriptions of the help", arguments: rows)
  func described(_ command: String, _ description: String) throws {
    let help = try Executable.run(command.split(separator: " ").map(String.init) + ["--help"]).text
    let words = help.split(whereSeparator: \.isWhitespace).joined(separator: " ")
    #expect(words.contains(description), "\(command): \(description)")
  }

  @Test("the table has many commands")
  func manyRows() { #expect(Self.rows.count > 40) }

  @Test("the page of settings ends with the table that the program prints")
  func settings() throws {
    let page = try String(
      contentsOf: Walk.root.appendingPathComponent("Documentation/Settings.md"), encoding: .utf8)
    let table = try Executable.run(["settings", "--markdown"]).text
    #expect(table.contains("| `main.min_distance` |"))
    #expect(
      page.hasSuffix("; a test compares. -->\n\n" + table),
      "the part below the last comment of Documentation/Settings.md is the output of godwit settings --markdown")
  }

  @Test("the privacy manifest is valid, and the sources use no API that needs a reason in it")
  func privacy() throws {
    let sources = Walk.root.appendingPathComponent("Sources")
    let data = try Data(contentsOf: sources.appendingPathComponent("Godwit/PrivacyInfo.xcprivacy"))
    let manifest = try #require(
      PropertyListSerialization.propertyList(from: data, format: nil) as? [String: Any])
    #expect(manifest["NSPrivacyTracking"] as? Bool == false)
    #expect((manifest["NSPrivacyAccessedAPITypes"] as? [Any])?.isEmpty == true)
    let collected = try #require(manifest["NSPrivacyCollectedDataTypes"] as? [[String: Any]])
    #expect(
      collected.compactMap { $0["NSPrivacyCollectedDataType"] as? String }.contains(
        "NSPrivacyCollectedDataTypePreciseLocation"))
    // Apple's list of required reason APIs: file times, system boot time, disk space, keyboards, user defaults.
    let named =
      #/
      UserDefaults | systemUptime | mach_absolute_time | volumeAvailableCapacity | systemFreeSize | systemSize
      | \bf?statv?fs\b | \b[fl]?stat\( | getattrlist | creationDate | [mM]odificationDate | attributesOfItem
      | activeInputModes
      /#
    var seen = 0
    for target in ["Godwit", "GodwitModel", "GodwitEngine", "GodwitText", "GodwitWire", "GodwitFiles", "GodwitSQLite"] {
      let files = FileManager.default.enumerator(at: sources.appendingPathComponent(target), includingPropertiesForKeys: nil)
      while let file = files?.nextObject() as? URL {
        guard file.pathExtension == "swift" else { continue }
        seen += 1
        let text = try String(contentsOf: file, encoding: .utf8)
        #expect(text.firstMatch(of: named) == nil, "\(file.path): add the API and its reason to PrivacyInfo.xcprivacy")
      }
    }
    #expect(seen > 100)
  }

  @Test(
    "Ctrl-C ends a tracker cleanly: in the middle of a slow replay, and while the server cannot be reached",
    .timeLimit(.minutes(20)), arguments: [["--speed", "1"], ["--speed", "max", "--until-sent"]])
  func interrupted(_ options: [String]) async throws {
    let folder = try TemporaryFolder()
    let tracker = try Background(
      Executable.godwit,
      [
        "track", "--source", Walk.file.path, "--endpoint", "http://127.0.0.1:9/", "--journal", folder.path("journal"),
        "--json",
      ] + options, in: folder)
    try await tracker.wait("the first fix") { tracker.text.contains("last_fix") ? true : nil }
    tracker.interrupt()
    try await tracker.wait("the end", seconds: 10) { tracker.process.isRunning ? nil : true }
    #expect(tracker.process.terminationStatus == 0, "\(tracker.errorOutput)")
  }

  @Test("a second tracker does not open a journal that is in use", .timeLimit(.minutes(20)))
  func journalInUse() async throws {
    let folder = try TemporaryFolder()
    let arguments = [
      "track", "--source", "gpsd://127.0.0.1:9", "--endpoint", "http://127.0.0.1:9/", "--journal", folder.path("journal"),
    ]
    let first = try Background(Executable.godwit, arguments, in: folder)
    try await first.wait("the first tracker to begin") { first.errorOutput.contains("gpsd at") ? true : nil }
    let second = try Executable.run(arguments)
    #expect(second.status == 1 && second.errorOutput.contains("is used by another tracker"), "\(second.errorOutput)")
    first.interrupt()
    #expect(try await first.waitForEnd() == 0)
  }
}
