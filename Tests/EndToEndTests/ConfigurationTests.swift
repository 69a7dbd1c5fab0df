import Foundation
import Testing

@Suite("The configuration file", .timeLimit(.minutes(10)))
struct ConfigurationTests {
  private static func write(_ text: String, in folder: TemporaryFolder, as name: String = "godwit.yaml") throws -> String {
    let path = folder.path(name)
    try text.write(toFile: path, atomically: true, encoding: .utf8)
    return path
  }

  /// Runs `godwit config check` on a text.
  private static func check(_ text: String) throws -> Executable.Result {
    let folder = try TemporaryFolder()
    return try Executable.run(["config", "check", write(text, in: folder)])
  }

  @Test(
    "an error is reported with its line",
    arguments: [
      ("serve:\n  lisen: 127.0.0.1:1\n", ":2: lisen is no option of serve. Did you mean listen?"),
      ("serve:\n  listen: here\n", ":2: listen: \"here\" is not a valid address"),
      ("serve:\n  listen: [127.0.0.1:1]\n", ":2: listen takes one value, not a list"),
      ("serve:\n  listen:\n", ":2: listen has no value; give one, or remove the line"),
      ("serve:\n  listen: {port: 1}\n", ":2: listen: expected a value or a list, not options"),
      ("serve:\n  no-hsts: perhaps\n", ":2: no-hsts: \"perhaps\" is neither true nor false"),
      ("serve:\n  log: text\n  log: json\n", ":3: log is there already, in line 2"),
      ("serve:\n  log: text\nserve:\n  log: json\n", ":3: the section serve is there twice"),
      ("server:\n  log: text\n", ":1: no command server has options in the file; expected serve or track"),
      ("- serve\n", ":1: expected sections such as \"serve:\""),
      ("serve: yes\n", ":1: expected options of serve, each as \"option: value\""),
      ("serve:\n  log: &a text\n", ":2: anchors are not supported"),
      ("serve:\n  cors: &a [https://a.example]\n", ":2: anchors are not supported"),
      ("serve: &a\n  log: text\n", ":1: anchors are not supported"),
      ("serve:\n  cors: !!set [https://a.example]\n", ":2: tags are not supported"),
      ("serve: !!map\n  log: text\n", ":1: tags are not supported"),
      ("serve:\n  log: *a\n", ":2: aliases are not supported"),
      ("serve:\n  log: !!str text\n", ":2: tags are not supported"),
      ("serve:\n\tlog: text\n", ":2: found character that cannot start any token"),
      ("serve:\n  log: 'text\n", ":3: found unexpected end of stream"),
      ("--- \nserve:\n--- \ntrack:\n", ": the file has a second document"),
      ("serve:\n  cors: [[[[x]]]]\n", ":2: nothing is nested so deeply"),
      ("serve:\n  cors: [[x]]\n", ":2: cors: expected a list of values"),
      ("[serve]: x\n", ":1: expected the name of a section or an option"),
      ("serve:\n  upload-limit: -1\n", ":2: upload-limit: \"-1\" is not a whole number of at least 0"),
      ("serve:\n  tls-key: key.pem\n", "serve: --tls-certificate and --tls-key belong together"),
      ("serve:\n  cors: [https://a.example, nonsense]\n", "serve: --cors nonsense is not an origin"),
      ("track:\n  source: 'none:'\n  format: overlnd\n", ":3: format: "),
    ])
  func faults(_ text: String, _ expected: String) throws {
    let result = try Self.check(text)
    #expect(result.status == 2 && result.errorOutput.contains(expected), "\(result.errorOutput)")
  }

  @Test("bytes that are not UTF-8, and a file that is too large, are rejected")
  func unreadable() throws {
    let folder = try TemporaryFolder()
    let path = folder.path("bytes")
    try Data([0x73, 0xFF, 0xFE, 0x0A]).write(to: URL(fileURLWithPath: path))
    let bytes = try Executable.run(["config", "check", path])
    #expect(bytes.status == 2 && bytes.errorOutput.contains("invalid leading UTF-8 octet, at byte 1"), "\(bytes.errorOutput)")
    try Data(repeating: 0x23, count: 1 << 20 + 1).write(to: URL(fileURLWithPath: path))
    let large = try Executable.run(["config", "check", path])
    #expect(large.status == 2 && large.errorOutput.contains("larger than 1 MiB"), "\(large.errorOutput)")
    let none = try Executable.run(["config", "check", folder.path("none")])
    #expect(none.status == 2 && none.errorOutput.contains("cannot be read"), "\(none.errorOutput)")
  }

  @Test("all errors are printed at once")
  func several() throws {
    let result = try Self.check("serve:\n  lisen: 1\n  log: xml\ntrack:\n  sync: soon\n")
    #expect([":2: lisen", ":3: log", ":5: sync"].allSatisfy { result.errorOutput.contains($0) }, "\(result.errorOutput)")
  }

  @Test(
    "the options of a valid file are counted",
    arguments: [
      ("", "It has no options."), ("# nothing\n", "It has no options."), ("serve:\n", "serve: 0 options."),
      ("serve:\n  cors:\n    - https://a.example\n    - https://b.example\n  no-hsts: yes\n", "serve: 2 options."),
      ("serve:\n  trust-proxy: 10.0.0.0/8\ntrack:\n  sync: 30\n", "serve: 1 option, track: 1 option."),
    ])
  func valid(_ text: String, _ expected: String) throws {
    let result = try Self.check(text)
    #expect(result.status == 0 && result.text.contains("is valid. \(expected)"), "\(result.text)\(result.errorOutput)")
  }

  @Test("the example has every option once, as a comment, and is valid; with all options in use every name is known")
  func example() throws {
    let example = try Executable.run(["config", "example"]).text
    let checked = try Self.check(example)
    #expect(checked.status == 0 && checked.text.contains("serve: 0 options, track: 0 options"), "\(checked.errorOutput)")
    for command in ["serve", "track"] {
      let help = try Executable.run([command, "--help"]).text
      let options = Set(help.matches(of: #/\n  --([a-z-]+)/#).map { String($0.1) }).subtracting(["config", "help"])
      let section = example.components(separatedBy: "\n\(command):\n").last?.components(separatedBy: "\n# godwit").first ?? ""
      let named = section.matches(of: #/\n  #([a-z-]+): /#).map { String($0.1) }
      #expect(options == Set(named) && named.count == options.count, "\(command): \(options.symmetricDifference(named))")
      let used = try Self.check(command + ":\n" + named.map { "  \($0): x\n" }.joined())
      #expect(!used.errorOutput.contains("is no option"), "\(used.errorOutput)")
    }
  }

  @Test("the command line overrides the environment, and the environment overrides the file")
  func precedence() throws {
    let folder = try TemporaryFolder()
    let file = try Self.write("serve:\n  data: \(folder.path("file"))\n", in: folder)
    func add(_ name: String, _ words: [String], _ environment: [String: String]) throws {
      let result = try Executable.run(["device", "add", name] + words, environment: environment)
      #expect(result.status == 0, "\(result.errorOutput)")
    }
    try add("a", ["--config", file], [:])
    try add("b", [], ["GODWIT_CONFIG": file])
    try add("c", [], ["GODWIT_CONFIG": file, "GODWIT_DATA": folder.path("variable")])
    try add("d", ["--data", folder.path("option")], ["GODWIT_CONFIG": file, "GODWIT_DATA": folder.path("variable")])
    // An empty variable counts as not set.
    try add("e", [], ["GODWIT_CONFIG": file, "GODWIT_DATA": ""])
    for (name, devices) in [("file", ["a", "b", "e"]), ("variable", ["c"]), ("option", ["d"])] {
      let list = try Executable.run(["device", "list", "--json", "--data", folder.path(name)]).text
      #expect(list.matches(of: #/"name":"([a-z])"/#).map { String($0.1) }.sorted() == devices, "\(name): \(list)")
    }
  }

  @Test("a folder on the command line overrides a database in the file and in the environment")
  func folderAndStore() throws {
    let folder = try TemporaryFolder()
    let file = try Self.write("serve:\n  store: postgres://godwit@127.0.0.1:1/none\n", in: folder)
    let direct = try Executable.run(["device", "add", "a", "--config", file, "--data", folder.path("data")])
    #expect(direct.status == 0, "\(direct.errorOutput)")
    let other = ["GODWIT_CONFIG": "/dev/null", "GODWIT_STORE": "sqlite://" + folder.path("other")]
    let beside = try Executable.run(["device", "add", "b", "--data", folder.path("data")], environment: other)
    #expect(beside.status == 0 && !FileManager.default.fileExists(atPath: folder.path("other")), "\(beside.errorOutput)")
    let list = try Executable.run(["device", "list", "--json", "--data", folder.path("data")])
    #expect(list.text.contains(#""name":"a""#) && list.text.contains(#""name":"b""#), "\(list.text) \(list.errorOutput)")
    // A folder of the environment does not replace the store of the environment.
    let both = other.merging(["GODWIT_DATA": folder.path("data")]) { $1 }
    #expect(try Executable.run(["device", "add", "c"], environment: both).status == 0)
    #expect(FileManager.default.fileExists(atPath: folder.path("other") + "/godwit.sqlite"))
    let database = try Executable.run(["device", "list", "--config", file])
    #expect(database.status == 1 && database.errorOutput.contains("127.0.0.1:1"), "\(database.errorOutput)")
  }

  @Test("the server and the tracker read their options from the file", .timeLimit(.minutes(10)))
  func running() async throws {
    let folder = try TemporaryFolder()
    let file = try Self.write(
      """
      serve:
        listen: 127.0.0.1:0
        data: \(folder.path("data"))
        log: json
        log-level: info
      track:
        source: \(Walk.file.path)
        speed: max
        until-sent: true
        from-start: no
        journal: \(folder.path("journal"))
      """, in: folder)
    let environment = ["GODWIT_CONFIG": file]
    let added = try Executable.run(["device", "add", "phone", "--json"], environment: environment)
    let token = try #require((try JSONSerialization.jsonObject(with: added.output) as? [String: Any])?["token"] as? String)
    let server = try Background(Executable.godwit, ["serve"], in: folder, environment: environment)
    let port = try await server.wait("the server to listen, \(server.errorOutput)") {
      server.errorOutput.firstMatch(of: #/http://127\.0\.0\.1:(\d+)//#).flatMap { UInt16($0.1) }
    }
    let tracked = try Executable.run(
      ["track", "--endpoint", "http://127.0.0.1:\(port)/api/overland"],
      environment: environment.merging(["GODWIT_TOKEN": token]) { $1 })
    #expect(tracked.status == 0, "\(tracked.errorOutput)")
    let stored = try Executable.run(["export", "--device", "phone", "--format", "csv"], environment: environment)
    #expect(stored.text.split(whereSeparator: \.isNewline).count > 100, "\(stored.errorOutput)")
    // Requests are in the log, as JSON.
    #expect(server.errorOutput.contains(#""route":"/api/overland""#), "\(server.errorOutput.suffix(500))")
  }

  @Test("no command runs with an invalid file, and each reports the error")
  func faultyFile() throws {
    let folder = try TemporaryFolder()
    let file = try Self.write("serve:\n  lisen: 1\n", in: folder)
    let server = try Executable.run(["serve"], environment: ["GODWIT_CONFIG": file])
    #expect(
      server.status == 2 && server.errorOutput.contains("godwit serve: \(file):2: lisen is no option of serve"),
      "\(server.errorOutput)")
    #expect(server.errorOutput.contains("Did you mean listen? See godwit serve --help."), "\(server.errorOutput)")
    let unknown = try Executable.run(["serve", "--wingspan"])
    #expect(unknown.errorOutput.hasSuffix("unknown option --wingspan. See godwit serve --help.\n"), "\(unknown.errorOutput)")
    let missing = try Executable.run(["device", "list"], environment: ["GODWIT_CONFIG": folder.path("none")])
    #expect(missing.status == 2 && missing.errorOutput.contains("the configuration \(folder.path("none")) cannot be read"))
  }

  @Test("a flag and a list in the environment", arguments: [("true", true), ("0", false), ("maybe", nil)] as [(String, Bool?)])
  func variables(_ value: String, _ expected: Bool?) throws {
    let folder = try TemporaryFolder()
    // --identity-create needs --identity-header: the error shows that the flag is on.
    let result = try Executable.run(
      ["serve", "--listen", "127.0.0.1:0", "--network-address", "nonsense", "--data", folder.path("data")],
      environment: [
        "GODWIT_IDENTITY_CREATE": value, "GODWIT_CORS": "https://a.example,https://b.example", "GODWIT_CONFIG": "/dev/null",
      ])
    let words =
      switch expected {
      case true: "--identity-create needs --identity-header"
      case false: "--network-address is nonsense"
      case nil: "$GODWIT_IDENTITY_CREATE: \"maybe\" is neither true nor false"
      }
    #expect(result.status == 2 && result.errorOutput.contains(words), "\(result.errorOutput)")
  }
}
