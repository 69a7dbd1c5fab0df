import Foundation
import Testing

@Suite("The command line")
struct CommandLineTests {
  @Test(
    "every command has help with its usage and examples",
    arguments: [
      [], ["demo"], ["serve"], ["track"], ["import"], ["export"], ["device"], ["device", "add"], ["device", "list"],
      ["device", "revoke"], ["rejected", "list"], ["rejected", "retry"], ["snapshot"], ["doctor"],
      ["setup"], ["coverage"], ["purge"], ["replay-events"], ["settings"], ["simulate"],
      ["regions"], ["regions", "list"], ["regions", "add"], ["regions", "remove"], ["regions", "import"],
      ["regions", "export"], ["regions", "assign"], ["regions", "devices"],
    ])
  func help(_ command: [String]) throws {
    let result = try Executable.run(command + ["--help"])
    #expect(result.status == 0)
    #expect(result.text.contains("Usage: godwit"))
    #expect(result.text.contains("Examples:"))
  }

  @Test(
    "help is printed for an option in any place, and for the word help if it is not an operand",
    arguments: [
      ["serve", "-h"], ["serve", "help"], ["device", "help"], ["device", "--data", "x", "--help"],
      ["serve", "--listen", "x", "--help"], ["serve", "--lisen", "x", "--help"],
    ])
  func helpAnywhere(_ words: [String]) throws {
    let result = try Executable.run(words)
    #expect(result.status == 0 && result.text.contains("Usage: godwit"), "\(result.errorOutput)")
  }

  @Test(
    "help with the words of a command prints the help of that command",
    arguments: [
      (["help", "serve"], "godwit serve "), (["help", "device"], "godwit device COMMAND"),
      (["help", "device", "add"], "godwit device add "), (["device", "help", "add"], "godwit device add "),
      (["help", "import"], "godwit import "), (["help", "import", "undo"], "godwit import undo "),
      (["help", "help"], "godwit COMMAND"), (["help", "serve", "--json"], "godwit serve "),
    ])
  func helpOfCommand(_ words: [String], _ usage: String) throws {
    let result = try Executable.run(words)
    #expect(result.status == 0 && result.text.contains("\nUsage: \(usage)"), "\(result.text) \(result.errorOutput)")
  }

  @Test(
    "help is an operand of a command with operands, or the value of an option",
    arguments: [["help"], ["--", "--help"], ["--", "-h"]])
  func helpAsOperand(_ words: [String]) throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(["import", "--device", "help", "--data", folder.path("data")] + words)
    #expect(result.status == 1 && result.errorOutput.contains("there is no such file"), "\(result.text) \(result.errorOutput)")
    let value = try Executable.run(["device", "add", "phone", "--name=-h", "--data", folder.path("data")])
    #expect(!value.text.contains("Usage: godwit"))
  }

  @Test("--version prints the version on one line")
  func version() throws {
    let result = try Executable.run(["--version"])
    #expect(result.status == 0 && result.text.wholeMatch(of: #/godwit \d+\.\d+\.\d+\n/#) != nil, "\(result.text)")
    #expect(try Executable.run(["--help"]).text.contains("--version"))
    #expect(try Executable.run(["serve", "--version"]).status == 2)
  }

  @Test(
    "wrong usage exits with status 2 and a message with the correct usage",
    arguments: [
      (["serv"], "Did you mean serve?"),
      (["help", "serv"], "godwit has no command \"serv\". Did you mean serve? See godwit --help."),
      (["help", "device", "ad"], "godwit device has no command \"ad\". Did you mean add? See godwit device --help."),
      (["help", "serve", "extra"], "godwit serve has no command \"extra\". See godwit serve --help."),
      (["help", "import", "walk.gpx"], "godwit import has no command \"walk.gpx\". See godwit import --help."),
      (["serve", "--lisen", "x"], "Did you mean --listen?"),
      (["serve", "--listen", "nowhere"], "write 127.0.0.1:8080"),
      (["serve", "--listen"], "--listen needs a value"),
      (["serve", "--listen", "--help"], "--listen needs a value"),
      (["serve", "--listen", "--log", "json"], "--listen needs a value"),
      (["serve", "--listen", "--log=json"], "--listen needs a value"),
      (["serve", "--listen", "-x"], "\"-x\" is not a valid address"),
      (["serve", "--", "--help"], "\"--help\" is an unexpected argument"),
      (["serve", "extra"], "an unexpected argument"),
      (["export"], "--device is required"),
      (["export", "--device", "a", "--format", "kmz"], "expected gpx, kml, geojson, csv, nmea"),
      (["export", "--device", "a", "--from", "yesterday"], "write 2026-11-20"),
      (["device", "add", "../x"], "not a valid device name"),
      (["serve", "--store", "mysql://me:secret@host/db"], "\"mysql://…\": mysql:// is unknown. Expected a folder"),
      (["import", "x.gpx", "--device", "a", "--store", "sqlite://data"], "three slashes begin its path"),
      (["regions", "list", "--store", "sqlite:/data"], "two slashes are missing"),
      (["doctor", "--store", "postgres://me:secret@[host/db"], "\"postgres://…\": the address of the database cannot be read"),
      (["track", "--source", "gpsd://", "--endpoint", "http://127.0.0.1:1/"], "expected gpsd://HOST"),
      (["track", "--source", "geoclue:x", "--endpoint", "http://127.0.0.1:1/"], "geoclue: or none:"),
      (["track", "--source", "x", "--endpoint", "ftp://a"], "write http://"),
      (["track", "--source", "x"], "nowhere to send to"),
      (["track", "--source", "x", "--endpoint", "http://a/", "--format", "kml"], "there are overland, overland-app"),
      (["track", "--source", "x", "--endpoint", "http://a/", "--preset", "best"], "expected one of high_resolution"),
      (["setup"], "LINK is missing"),
      (["coverage", "--from", "yesterday"], "write 2026-11-20"),
      (["track", "--source", "x", "--endpoint", "http://a/?t=%TIME"], "\"%TIME\" in \"http://a/?t=%TIME\" is not a placeholder"),
      (["track", "--source", "x", "--endpoint", "http://a/", "--speed", "-3"], "a number above 0, or max"),
      (
        ["track", "--source", "x", "--endpoint", "http://a/", "--format", "overlnd"],
        "there are overland, overland-app, openlocate"
      ),
    ])
  func wrongUsage(_ words: [String], _ expected: String) throws {
    let folder = try TemporaryFolder()
    let result = try Executable.run(words, environment: ["GODWIT_DATA": folder.path("data")])
    #expect(result.status == 2, "\(result.errorOutput)")
    #expect(result.errorOutput.contains(expected), "\(result.errorOutput)")
    #expect(result.output.isEmpty)
  }

  @Test(
    "a set-up link whose token is sent without TLS has a warning, also with --json",
    arguments: [("http://192.168.1.5:8080", true), ("https://example.org", false), ("http://127.0.0.1:8080", false)],
    [false, true])
  func exposedLink(_ row: (server: String, isExposed: Bool), _ isJSON: Bool) throws {
    let folder = try TemporaryFolder()
    let added = try Executable.run(
      ["device", "add", "phone", "--data", folder.path("data"), "--url", row.server + "/api/overland"]
        + (isJSON ? ["--json"] : []))
    #expect(added.status == 0 && added.text.contains("overland://setup?"), "\(added)")
    #expect(added.errorOutput.contains("can be read in transit") == row.isExposed, "\(added)")
    #expect(!added.text.contains("can be read in transit"))
  }

  @Test(
    "the set-up link of a new device has the address of the running server; one that a phone cannot reach has a warning",
    .timeLimit(.minutes(20)))
  func addressOfLink() async throws {
    let local = try await RunningServer()
    let added = try Executable.run(["device", "add", "phone", "--data", local.data])
    let address = "http://127.0.0.1:\(local.port)/api/overland"
    let parameter = "url=http%3A%2F%2F127.0.0.1%3A\(local.port)%2Fapi%2Foverland&"
    #expect(added.text.contains("overland://setup?\(parameter)"), "\(added)")
    #expect(added.errorOutput.contains("a phone cannot reach \(address)"), "\(added)")
    #expect(try await local.stop() == 0)
    let server = try await ServerWithOptions(["--network-address", "192.0.2.7"])
    let reached = try Executable.run(["device", "add", "phone", "--data", server.data])
    #expect(reached.text.contains("url=http%3A%2F%2F192.0.2.7%3A\(server.port)%2Fapi%2Foverland&"), "\(reached)")
    #expect(!reached.errorOutput.contains("cannot reach"), "\(reached)")
    try await server.stop()
    let alone = try Executable.run(["device", "add", "phone", "--data", server.data])
    #expect(alone.text.contains("url=http%3A%2F%2F127.0.0.1%3A8080%2Fapi%2Foverland&"), "\(alone)")
  }

  @Test("a new device's command for a tracker sets it up, and has no token outside of the link")
  func commandOfTracker() throws {
    let folder = try TemporaryFolder()
    let added = try Executable.run([
      "device", "add", "my pi", "--data", folder.path("data"), "--url", "https://example.org/api/overland",
    ])
    #expect(!added.text.contains("--token"), "\(added)")
    let command = try #require(added.text.firstMatch(of: #/\n  godwit-tracker setup '(godwit://setup\?[^'\n]+)'\n/#), "\(added)")
    let file = folder.path("tracker.json")
    let setup = try Executable.run(["setup", String(command.1), "--tracker-file", file, "--yes"])
    #expect(setup.status == 0, "\(setup)")
    let written = try #require(FileManager.default.contents(atPath: file))
    let object = try #require(JSONSerialization.jsonObject(with: written) as? [String: Any])
    let endpoint = try #require((object["endpoints"] as? [[String: Any]])?.first)
    #expect(endpoint["url"] as? String == "https://example.org/api/overland", "\(object)")
    #expect((endpoint["token"] as? String)?.hasPrefix("gw_") == true, "\(object)")
    #expect((object["settings"] as? [String: Any])?["device_id"] as? String == "my pi", "\(object)")
  }

  @Test("invalid settings are rejected by name, with the valid values")
  func settings() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("settings.json")
    let cases = [
      (#"{"main":{"batch_size":7}}"#, "\"main.batch_size\" cannot be 7; expected 50 | 100 | 200 | 500 | 1000"),
      (#"{"colour":"red"}"#, "There is no setting \"colour\""),
      (#"{"send_interval":300}"#, "\"send_interval\" cannot be 300"),
      ("[1]", "expected a JSON object"),
      ("{", "not JSON"),
    ]
    for (text, expected) in cases {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let result = try Executable.run([
        "track", "--source", "x.gpx", "--endpoint", "http://127.0.0.1:1/", "--settings", file,
      ])
      #expect(result.status == 1)
      #expect(result.errorOutput.contains(expected), "\(result.errorOutput)")
    }
  }

  @Test("files that are not tracks are reported by name, with the detected content")
  func files() throws {
    let folder = try TemporaryFolder()
    let data = ["--device", "a", "--data", folder.path("data")]
    try Data().write(to: folder.url.appendingPathComponent("empty"))
    try Data("hello".utf8).write(to: folder.url.appendingPathComponent("hello"))
    try Data("<gpx><trk><trkseg><trkpt lat=\"1\" lon=\"2\"><time>2020-01-01T00:00:00Z</time></trkpt></trk>".utf8)
      .write(to: folder.url.appendingPathComponent("broken.gpx"))
    let cases = [
      ("nowhere.gpx", "there is no such file"), ("empty", "it is empty"),
      ("hello", "expected one of GPX, NMEA 0183"), ("broken.gpx", "does not match its start tag"),
    ]
    for (name, expected) in cases {
      let result = try Executable.run(["import", folder.path(name)] + data)
      #expect(result.status == 1)
      #expect(result.errorOutput.contains(expected), "\(result.errorOutput)")
    }
    let list = try Executable.run(["device", "list", "--data", folder.path("data"), "--json"])
    // The point before the damage was stored.
    #expect(list.text.contains("\"points\":1"))
  }

  @Test("a store is selected by its folder, its URL or the variable; the option takes precedence over the variable")
  func stores() throws {
    let folder = try TemporaryFolder()
    let url = "sqlite://" + folder.path("data")
    #expect(try Executable.run(["device", "add", "phone", "--data", folder.path("data")]).status == 0)
    #expect(try Executable.run(["regions", "add", "home", "--circle", "46,14.5,100", "--store", url]).status == 0)
    #expect(
      try Executable.run(["regions", "assign", "phone", "--region", "home"], environment: ["GODWIT_STORE": url]).status == 0)
    let devices = try Executable.run(["regions", "devices", "--json", "--data", folder.path("data")])
    #expect(devices.text.contains(#""regions":["home"]"#), "\(devices.errorOutput)")
    let other = try Executable.run(
      ["device", "list", "--json", "--store", folder.path("other")], environment: ["GODWIT_STORE": url])
    // A wrong folder is an error, not an empty store.
    #expect(other.status == 1 && other.errorOutput.contains("there is no store"), "\(other.text) \(other.errorOutput)")
    #expect(!FileManager.default.fileExists(atPath: folder.path("other")))
    let wrong = try Executable.run(["device", "list"], environment: ["GODWIT_STORE": "mysql://me:secret@host/db"])
    #expect(
      wrong.status == 2 && wrong.errorOutput.contains("$GODWIT_STORE: \"mysql://…\": mysql:// is unknown"), "\(wrong.errorOutput)"
    )
    #expect(!wrong.errorOutput.contains("secret"))
  }

  @Test("the doctor reports a data folder that cannot be written")
  func doctor() throws {
    let folder = try TemporaryFolder()
    let good = try Executable.run(["doctor", "--data", folder.path("data")])
    #expect(good.status == 0, "\(good.errorOutput)")
    #expect(good.text.contains("Data folder"))
    let bad = try Executable.run(["doctor", "--data", "/proc/nowhere"])
    #expect(bad.status == 1)
    #expect(bad.text.contains("FAILED") && bad.errorOutput.contains("1 check failed."), "\(bad.errorOutput)")
  }

  @Test("the doctor lists the code of an iOS app that does not work on Linux, and repairs a copy")
  func iosSource() throws {
    let folder = try TemporaryFolder()
    let app = folder.path("app")
    try FileManager.default.createDirectory(atPath: app, withIntermediateDirectories: true)
    try "import CoreLocation.CLVisit\nimport UIKit\n".write(toFile: app + "/A.swift", atomically: true, encoding: .utf8)
    let listed = try Executable.run(["doctor", "--ios-source", app])
    #expect(
      listed.status == 1 && listed.text.contains("A.swift:1:8:* ") && listed.text.contains("A.swift:2:8: Linux has no UIKit"))
    #expect(listed.errorOutput.contains("--fix COPY"), "\(listed.errorOutput)")
    let repaired = try Executable.run(["doctor", "--ios-source", app, "--fix", folder.path("copy"), "--json"])
    #expect(repaired.status == 1 && repaired.text.contains("\"is_repairable\" : false"), "\(repaired.text)")
    #expect(
      try String(contentsOfFile: folder.path("copy") + "/A.swift", encoding: .utf8) == "import CoreLocation\nimport UIKit\n")
    let again = try Executable.run(["doctor", "--ios-source", app, "--fix", folder.path("copy")])
    #expect(again.status == 1 && again.errorOutput.contains("exists"), "\(again.errorOutput)")
    #expect(try Executable.run(["doctor", "--fix", folder.path("other")]).status == 2)
  }
}
