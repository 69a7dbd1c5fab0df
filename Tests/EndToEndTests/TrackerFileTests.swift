import Foundation
import Testing

@Suite("Set-up, inspection and purge of a tracker, with the real executable")
struct TrackerFileTests {
  @Test("a set-up link configures a tracker; its changes are shown and need a confirmation")
  func setup() async throws {
    let server = try await RunningServer()
    let home = ["GODWIT_DATA": server.folder.path("home")]
    let added = try Executable.run([
      "device", "add", "walker", "--data", server.data, "--url", server.endpoint, "--json",
    ])
    let object = try #require(JSONSerialization.jsonObject(with: added.output) as? [String: Any])
    let link = try #require((object["setup"] as? [String: String])?["overland"])

    let asked = try Executable.run(["setup", link], environment: home)
    #expect(asked.status == 1)
    #expect(asked.errorOutput.contains("endpoint: \(server.endpoint) (overland, a token)"), "\(asked.errorOutput)")
    #expect(asked.errorOutput.contains("device_id: \"\" → \"walker\""))
    #expect(!asked.errorOutput.contains("gw_"))
    #expect(!FileManager.default.fileExists(atPath: server.folder.path("home/tracker.json")))

    #expect(try Executable.run(["setup", link, "--yes"], environment: home).status == 0)
    let file = server.folder.path("home/tracker.json")
    let mode = try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? NSNumber
    #expect(mode?.intValue == 0o600)
    let again = try Executable.run(["setup", link, "--yes"], environment: home)
    #expect(again.errorOutput.contains("nothing was changed"), "\(again.errorOutput)")

    let tracked = try Executable.run(
      [
        "track", "--source", Walk.file.path, "--speed", "max", "--until-sent", "--event-log", server.folder.path("events"),
      ], environment: home)
    #expect(tracked.status == 0, "\(tracked.errorOutput)")
    Walk.expectSame(try server.exported(), try Walk.points())

    let replayed = try Executable.run(["replay-events", server.folder.path("events")])
    #expect(replayed.status == 0, "\(replayed.errorOutput)")
    #expect(
      replayed.text.contains(" fixes, first ") && replayed.errorOutput.contains("0 are different"), "\(replayed.errorOutput)")
    #expect(replayed.text.contains("upload to \(server.endpoint): up to 200, all"))
    #expect(try await server.stop() == 0)
  }

  @Test("another link replaces the address or adds an endpoint; settings of the file remain")
  func replaced() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("tracker.json")
    func setup(_ link: String, _ more: String...) throws -> Executable.Result {
      try Executable.run(["setup", link, "--tracker-file", file, "--yes"] + more)
    }
    func content() throws -> [String: Any] {
      let data = try #require(FileManager.default.contents(atPath: file))
      return try #require(JSONSerialization.jsonObject(with: data) as? [String: Any])
    }
    func addresses() throws -> [String] {
      try ((content()["endpoints"] as? [[String: Any]]) ?? []).compactMap { $0["url"] as? String }
    }
    #expect(try setup("godwit://setup?url=https://a.example/&main.min_distance=10m").status == 0)
    let second = try setup("godwit://setup?url=https://b.example/&token=t&format=owntracks")
    #expect(second.errorOutput.contains("https://a.example/ → https://b.example/ (owntracks, a token)"), "\(second.errorOutput)")
    #expect(try addresses() == ["https://b.example/"])
    #expect((try content()["settings"] as? [String: Any])?["main.min_distance"] as? String == "10m")
    #expect(try setup("godwit://setup?url=https://c.example/", "--add").status == 0)
    #expect(try addresses() == ["https://b.example/", "https://c.example/"])
    let fourth = try setup("godwit://setup?url=https://d.example/")
    #expect(fourth.status == 1 && fourth.errorOutput.contains("give --add"))
    #expect(try setup("godwit://setup?url=https://b.example/&token=u&format=owntracks").errorOutput.contains("a new token"))
    #expect(try addresses().count == 2)
  }

  @Test(
    "an error in a tracker's file is reported with its position",
    arguments: [
      (#"{"endpoint":[]}"#, #""endpoint" is unknown; expected endpoints, settings"#),
      (#"{"endpoints":{}}"#, #""endpoints" is {}; expected an array of objects"#),
      (#"{"endpoints":[{}]}"#, #"endpoints[0]: "url" is missing; expected an address"#),
      (#"{"endpoints":[{"url":"ftp://a"}]}"#, "endpoints[0]: url: "),
      (#"{"endpoints":[{"url":"http://a/"},{"url":"http://a/"}]}"#, "two endpoints have the id \"http://a/\""),
      (#"{"endpoints":[{"url":"http://a/","urls":1}]}"#, #""urls" is unknown; expected id, url, format"#),
      (#"{"endpoints":[{"url":"http://a/","format":"kml"}]}"#, #""format" is "kml"; expected one of overland"#),
      (#"{"endpoints":[{"url":"http://a/","token":"t","token_file":"f"}]}"#, "token or token_file, not both"),
      (#"{"endpoints":[{"url":"http://a/","headers":{"A B":"c"}}]}"#, "expected a header on one line"),
      (#"{"endpoints":[{"url":"http://a/","headers":{"A":"c\nd"}}]}"#, "expected a header on one line"),
      (#"{"endpoints":[{"url":"http://a/","interval":"soon"}]}"#, "expected a time such as 90s"),
      (#"{"endpoints":[{"url":"http://a/","interval":"0s"}]}"#, "expected a time such as 90s"),
      (#"{"endpoints":[{"url":"http://a/","delay":"-1h"}]}"#, "expected a time such as 90s"),
      (#"{"endpoints":[{"url":"http://a/","fields":["place"]}]}"#, "expected names of location, timestamp"),
      (#"{"endpoints":[{"url":"http://a/","precision":"coarse"}]}"#, #"expected "exact", {"decimals""#),
      (#"{"endpoints":[{"url":"http://a/","precision":{"grid":1}}]}"#, "expected a number, 10 to 1000000"),
      (#"{"endpoints":[{"url":"http://a/","precision":{"decimals":2.5}}]}"#, "expected a whole number"),
      (
        #"{"endpoints":[{"url":"http://a/","leave_out":[{"latitude":91,"longitude":0,"radius":9}]}]}"#,
        "leave_out[0]: \"latitude\" is 91"
      ),
      (
        #"{"endpoints":[{"url":"http://a/","leave_out":[{"latitude":9,"longitude":0}]}]}"#,
        "a zone has latitude, longitude and radius"
      ),
      (#"{"endpoints":[{"url":"http://a/","pins":["abc"]}]}"#, "expected base64 of SHA-256"),
      (#"{"endpoints":[{"url":"http://a/","authority":"/nowhere.pem"}]}"#, "expected a PEM file"),
      (#"{"endpoints":[{"url":"http://a/","only_on_wifi":1}]}"#, #""only_on_wifi" is 1; expected true or false"#),
      (#"{"endpoints":[{"url":"http://a/","max_bytes_per_day":true}]}"#, "expected a number, 1000 to"),
      (#"{"endpoints":[{"url":"http://a/","logging_mode":"some"}]}"#, "expected all, latest, owntracks"),
      (#"{"endpoints":[],"settings":{"main":{"min_distance":"3m"}}}"#, #"settings: "main.min_distance" cannot be "3m""#),
      ("{", "not JSON"), ("[]", "expected a JSON object"),
    ])
  func wrong(_ text: String, _ expected: String) throws {
    let folder = try TemporaryFolder()
    let file = folder.path("tracker.json")
    try text.write(toFile: file, atomically: true, encoding: .utf8)
    let result = try Executable.run(["track", "--source", "x.gpx", "--tracker-file", file])
    #expect(result.status == 1)
    #expect(result.errorOutput.contains(file) && result.errorOutput.contains(expected), "\(result.errorOutput)")
  }

  @Test("the settings of a tracker's file are shown and checked, with its endpoints")
  func settings() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("tracker.json")
    let link = "godwit://setup?url=https://a.example/&token=t&main.min_distance=10m"
    #expect(try Executable.run(["setup", link, "--tracker-file", file, "--yes"]).status == 0)
    let shown = try Executable.run(["settings", "--settings", file, "--json"])
    #expect(shown.status == 0, "\(shown.errorOutput)")
    let values = try #require(JSONSerialization.jsonObject(with: shown.output) as? [String: Any])
    #expect(values["main.min_distance"] as? String == "10m", "\(values)")
    for (text, expected) in [
      (#"{"endpoints":[],"settings":{"main":{"min_distance":"3m"}}}"#, #"settings: "main.min_distance" cannot be "3m""#),
      (#"{"endpoints":[{"url":"ftp://a"}]}"#, "endpoints[0]: url: "), (#"{"colour":"red"}"#, "There is no setting \"colour\""),
    ] {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let wrong = try Executable.run(["settings", "--settings", file])
      #expect(wrong.status == 1 && wrong.errorOutput.contains(expected), "\(wrong.errorOutput)")
    }
  }

  @Test("a file with every option is valid")
  func everything() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("tracker.json")
    let pin = Data(repeating: 7, count: 32).base64EncodedString()
    try "secret\n".write(toFile: folder.path("token"), atomically: true, encoding: .utf8)
    try """
    {"endpoints": [
      {"id": "home", "url": "http://127.0.0.1:9/", "token_file": "\(folder.path("token"))", "headers": {"X-Proxy": "a"}, "interval": "90s",
       "batch_size": 50, "logging_mode": "latest", "fields": ["location", "timestamp"], "precision": {"decimals": 3},
       "delay": "1h", "leave_out": [{"latitude": 52.5, "longitude": 13.4, "radius": 200}], "pins": ["\(pin)"],
       "only_on_wifi": true, "only_while_charging": true, "max_bytes_per_day": 1000000, "remote_settings": false, "timeout": 5},
      {"id": "far", "url": "http://127.0.0.1:9/?lat=%LAT&lon=%LON", "format": "query", "interval": "never",
       "precision": {"grid": 1000}}],
     "settings": {"device_id": "pi", "main": {"min_distance": "10m"}}}
    """.write(toFile: file, atomically: true, encoding: .utf8)
    let result = try Executable.run([
      "track", "--source", folder.path("none.gpx"), "--tracker-file", file, "--journal", folder.path("journal"),
    ])
    #expect(result.errorOutput.contains("there is no such file"), "\(result.errorOutput)")
  }

  @Test("the coverage log and a purge need a journal, and a purge needs a confirmation; a running tracker keeps its records")
  func purge() async throws {
    let folder = try TemporaryFolder()
    let journal = folder.path("journal")
    for command in ["coverage", "purge"] {
      let result = try Executable.run([command, "--journal", journal])
      #expect(result.status == 1 && result.errorOutput.contains("there is no journal"), "\(result.errorOutput)")
    }
    let count = try Walk.points().count
    let tracker = try Background(
      Executable.godwit,
      [
        "track", "--source", Walk.file.path, "--speed", "max", "--endpoint", "http://127.0.0.1:9/", "--journal", journal,
        "--json",
      ], in: folder)
    try await tracker.wait("the records") { tracker.text.contains("\"waiting\":\(count)") ? true : nil }
    let running = try Executable.run(["purge", "--journal", journal, "--yes"])
    #expect(running.status == 1 && running.errorOutput.contains("running tracker"), "\(running.errorOutput)")
    #expect(try Executable.run(["coverage", "--journal", journal]).errorOutput.contains("The tracker runs"))
    tracker.interrupt()
    #expect(try await tracker.waitForEnd() == 0)

    let coverage = try Executable.run(["coverage", "--journal", journal])
    #expect(coverage.status == 0 && coverage.errorOutput.contains("No tracker runs"), "\(coverage.errorOutput)")
    #expect(
      coverage.errorOutput.contains("\(count) records are queued for http://127.0.0.1:9/, the oldest since"),
      "\(coverage.errorOutput)")
    let asked = try Executable.run(["purge", "--journal", journal])
    #expect(asked.status == 1 && asked.errorOutput.contains("Delete \(count) unsent records"), "\(asked.errorOutput)")
    #expect(try Executable.run(["purge", "--journal", journal, "--yes"]).status == 0)
    #expect(try Executable.run(["purge", "--journal", journal, "--yes"]).errorOutput.contains("No unsent records"))
  }

  @Test("a file that is not an event log is rejected, with the line of the error")
  func noLog() throws {
    let folder = try TemporaryFolder()
    let file = folder.path("log")
    for (text, expected) in [
      ("", "the log has no run"), ("hello\n", "line 1: cut off or damaged"),
      (#"{"at":1,"event":{"tick":{}},"effects":[]}"# + "\n", "line 1: a step without the start"),
    ] {
      try text.write(toFile: file, atomically: true, encoding: .utf8)
      let result = try Executable.run(["replay-events", file])
      #expect(result.status == 1 && result.errorOutput.contains(expected), "\(result.errorOutput)")
    }
  }
}
