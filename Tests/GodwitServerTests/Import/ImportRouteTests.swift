import Foundation
import GodwitAccess
import GodwitModel
import TestClient
import Testing

@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

@Suite("Import over HTTP", .timeLimit(.minutes(20)))
struct ImportRouteTests {
  /// Waits until an import has ended; returns its status.
  private static func ended(
    _ label: String, _ server: AccountServer, _ caller: AccountServer.Caller
  ) async throws -> Response {
    while true {
      let response = server.send("GET", "/api/v1/imports/\(label)", as: caller)
      let state = try #require(response.object["state"] as? String, "\(response.text)")
      if state != "waiting", state != "running" { return response }
      try Task.checkCancellation()
      await Task.yield()
    }
  }

  @Test("an uploaded file is imported for its user only", arguments: StoreKind.tested)
  func upload(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let (anna, ben) = (try await server.user("anna"), try await server.user("ben"))
      let (asAnna, asBen) = (try await server.session(of: anna), try await server.session(of: ben))
      _ = try await server.device("bens", of: ben)
      server.server.imports.start()
      let file = ImportFolder.lines(5000, faults: true)
      let sent = server.send("POST", "/api/v1/imports?device=phone&name=walk.csv", as: asAnna, body: file)
      #expect(sent.status == 202, "\(sent.text)")
      let label = try #require(sent.object["id"] as? String)
      #expect(sent.headers["location"] == "/api/v1/imports/\(label)")
      let done = try await Self.ended(label, server, asAnna)
      #expect(done.object["state"] as? String == "done" && done.object["saved"] as? Int == 4500, "\(done.text)")
      #expect(done.object["format"] as? String == "CSV" && done.object["name"] as? String == "walk.csv")
      let reason = try #require(done.list("reasons").first)
      #expect(reason["count"] as? Int == 500 && (reason["first"] as? [Any])?.count == 3)
      let devices = server.send("GET", "/api/v1/devices", as: asAnna).list("devices")
      #expect(devices.first?["owner"] as? String == "anna" && devices.first?["points"] as? Int == 4500)
      // Another user's device, and another user's import.
      #expect(server.send("POST", "/api/v1/imports?device=bens", as: asAnna, body: file).status == 409)
      #expect(server.send("GET", "/api/v1/imports/\(label)", as: asBen).status == 404)
      #expect(server.send("POST", "/api/v1/imports/\(label)/dismiss", as: asBen).status == 404)
      #expect(server.send("GET", "/api/v1/imports", as: asBen).list("imports").isEmpty)
      #expect(server.send("GET", "/api/v1/imports", as: asAnna).list("imports").count == 1)
      // The uploaded file was deleted.
      let left = try FileManager.default.contentsOfDirectory(atPath: server.server.imports.folder)
      #expect(left == ["place"])
      #expect(server.send("POST", "/api/v1/imports/\(label)/dismiss", as: asAnna).status == 200)
      #expect(server.send("GET", "/api/v1/imports", as: asAnna).list("imports").isEmpty)
    }
  }

  @Test("an import that a restart interrupts continues at its checkpoint", arguments: StoreKind.tested)
  func restart(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      // No import runs yet.
      let sent = server.send(
        "POST", "/api/v1/imports?device=phone&name=a.csv", as: administrator, body: ImportFolder.lines(60_000))
      let label = try #require(sent.object["id"] as? String)
      #expect(server.send("GET", "/api/v1/imports/\(label)", as: administrator).object["state"] as? String == "waiting")
      // A part of the file is stored when the server is closed.
      server.server.imports.start()
      while server.server.imports.progress(of: ImportJob.number(of: label) ?? 0)?.report.saved ?? 0 == 0 {
        let job = server.send("GET", "/api/v1/imports/\(label)", as: administrator)
        if job.object["state"] as? String == "done" { break }
        try Task.checkCancellation()
        await Task.yield()
      }
      try server.restart()
      try server.server.imports.tidy()
      server.server.imports.start()
      let done = try await Self.ended(label, server, administrator)
      #expect(done.object["saved"] as? Int == 60_000 && done.object["duplicates"] as? Int == 0, "\(done.text)")
      #expect(done.object["records"] as? Int == 60_000)
    }
  }

  @Test("an import fails after three crashes at the same position; starts at other positions do not count")
  func crashes() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let imports = server.server.imports
      for (name, positions, state) in [
        ("a.csv", [0, 0, 0], "failed"), ("b.csv", [0, 0, 7, 7], "done"), ("c.csv", [0, 0], "done"),
      ] {
        let before = Set(try FileManager.default.contentsOfDirectory(atPath: imports.folder))
        let sent = server.send(
          "POST", "/api/v1/imports?device=phone&name=\(name)", as: administrator, body: ImportFolder.lines(100) + "\n\(name)")
        let label = try #require(sent.object["id"] as? String, "\(sent.text)")
        let file = try #require(
          Set(try FileManager.default.contentsOfDirectory(atPath: imports.folder)).subtracting(before).first)
        let starts = ImportStarts(upload: imports.folder + "/" + file)
        for position in positions { #expect(try starts.begin(at: position)) }
        try imports.tidy()
        imports.start()
        let ended = try await Self.ended(label, server, administrator)
        imports.stop()
        #expect(ended.object["state"] as? String == state, "\(ended.text)")
        if state == "failed" { #expect(ended.text.contains("a.csv: the server ended 3 times")) }
        #expect(try FileManager.default.contentsOfDirectory(atPath: imports.folder) == ["place"])
      }
    }
  }

  @Test("an invalid upload is reported, and an import can be cancelled", arguments: StoreKind.tested)
  func rejected(_ kind: StoreKind) async throws {
    try await AccountServer.with(on: kind) { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      for (path, reason) in [
        ("/api/v1/imports", "device: missing"), ("/api/v1/imports?device=-", "letters, digits"),
        ("/api/v1/imports?device=a&map=x", "expected NAME=DEVICE"), ("/api/v1/imports?device=a", "The file is empty"),
        ("/api/v1/imports?device=a&date_order=ymd", "expected dmy (day first) or mdy"),
      ] {
        let response = server.send("POST", path, as: administrator)
        #expect(response.status == 400 && response.text.contains(reason), "\(response.text)")
      }
      // Cancelled before it began.
      let waiting = server.send("POST", "/api/v1/imports?device=phone", as: administrator, body: ImportFolder.lines(10))
      let first = try #require(waiting.object["id"] as? String)
      #expect(server.send("POST", "/api/v1/imports/\(first)/dismiss", as: administrator).object["cancelled"] as? String == first)
      server.server.imports.start()
      let sent = server.send("POST", "/api/v1/imports?device=phone&name=x.png", as: administrator, body: "a picture")
      let done = try await Self.ended(try #require(sent.object["id"] as? String), server, administrator)
      #expect(done.object["state"] as? String == "failed")
      let problem = try #require(done.object["problem"] as? String)
      #expect(problem.hasPrefix("x.png: it begins with \"a picture\""), "\(problem)")
      #expect(try await Self.ended(first, server, administrator).object["state"] as? String == "cancelled")
      #expect(try server.server.store.devices().allSatisfy { $0.points == 0 })
    }
  }

  @Test("an import reports missing options and skipped parts")
  func undecided() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      server.server.imports.start()
      func job(_ more: String, _ body: String) async throws -> Response {
        let sent = server.send("POST", "/api/v1/imports?device=phone&name=x" + more, as: administrator, body: body)
        return try await Self.ended(try #require(sent.object["id"] as? String, "\(sent.text)"), server, administrator)
      }
      let table = "time,lat,lon\n1/2/2024,46,14.5\n"
      let asked = try await job("", table)
      #expect(asked.object["state"] as? String == "failed")
      #expect((asked.object["problem"] as? String)?.contains("date_order=dmy or mdy") == true, "\(asked.text)")
      let reported = try await job("&date_order=mdy", table)
      #expect(reported.object["state"] as? String == "done" && reported.object["saved"] as? Int == 1, "\(reported.text)")
      #expect(reported.object["date_order"] as? String == "mdy")
      let places = try await job("", #"<gpx><wpt lat="1" lon="1"><time>2026-01-01T00:00:00Z</time></wpt></gpx>"#)
      #expect(places.object["state"] as? String == "nothing_usable" && places.object["waypoints"] as? Int == 1, "\(places.text)")
      #expect((places.object["problem"] as? String)?.hasPrefix("x: no usable records: it has 1 waypoint") == true)
    }
  }

  @Test("an import causes no region events")
  func history() async throws {
    try await AccountServer.with { server in
      let administrator = AccountServer.Caller.bearing(try server.administratorToken)
      let region = #"{"center":{"latitude":46.01,"longitude":14.5},"radius":500000}"#
      #expect(server.send("PUT", "/api/v1/regions/here", as: administrator, body: region).status == 201)
      let watching = server.server.feed.subscribe(device: nil)
      server.server.imports.start()
      let sent = server.send("POST", "/api/v1/imports?device=phone", as: administrator, body: ImportFolder.lines(100))
      let done = try await Self.ended(try #require(sent.object["id"] as? String), server, administrator)
      #expect(done.object["saved"] as? Int == 100)
      #expect(server.send("GET", "/api/v1/region-events", as: administrator).list("events").isEmpty)
      // Subscribers get one resync event.
      server.server.imports.stop()
      var reported: [String] = []
      while case .bytes(let bytes) = watching.next() { reported.append(String(decoding: bytes, as: UTF8.self)) }
      let text = reported.joined()
      #expect(text.components(separatedBy: "event: ").dropFirst().map { $0.prefix(6) } == ["resync"], "\(text)")
      #expect(server.send("GET", "/api/v1/devices", as: administrator).list("devices").first?["last_contact"] is NSNull)
    }
  }
}
