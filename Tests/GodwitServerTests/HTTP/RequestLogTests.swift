import Foundation
import Synchronization
import Testing

@testable import GodwitAPI
@testable import GodwitAccounts
@testable import GodwitHTTP
@testable import GodwitServer
@testable import GodwitStore

/// Collects the written lines.
private final class Lines: Sendable {
  private let text = Mutex("")
  func handle(_ bytes: [UInt8]) { text.withLock { $0 += String(decoding: bytes, as: UTF8.self) } }
  var all: [String] { text.withLock { $0 }.split(separator: "\n").map(String.init) }
}

@Suite("Request log")
struct RequestLogTests {
  private static func log(
    _ format: RequestLog.Format, _ level: RequestLog.Level = .info, isJournal: Bool = false, into lines: Lines
  ) -> RequestLog {
    RequestLog(
      format: format, level: level, isJournal: isJournal, now: { Date(timeIntervalSince1970: 1_795_000_000) },
      sink: { lines.handle($0) })
  }

  private static let entry = RequestLog.Entry(
    id: "a1", method: "GET", route: "/api/v1/points", status: 200, bytes: 17, milliseconds: 1.26, who: "device/3",
    address: "192.0.2.7")

  @Test("a line contains the request, its route, its principal and its result")
  func text() {
    let lines = Lines()
    let log = Self.log(.text, into: lines)
    log.write(Self.entry)
    log.finish()
    #expect(
      lines.all == [
        "2026-11-18T11:06:40Z info id=a1 method=GET route=/api/v1/points status=200 bytes=17 ms=1.3 who=device/3 address=192.0.2.7"
      ])
  }

  @Test("lines for the systemd journal have a level prefix and no time")
  func journal() {
    let lines = Lines()
    let log = Self.log(.text, isJournal: true, into: lines)
    for status in [200, 404, 500] {
      var entry = Self.entry
      entry.status = status
      log.write(entry)
    }
    log.finish()
    #expect(lines.all.map { $0.prefix(9) } == ["<6>info i", "<4>warnin", "<3>error "])
  }

  @Test("a JSON line has the same fields", arguments: [false, true])
  func json(_ isJournal: Bool) throws {
    let lines = Lines()
    let log = Self.log(.json, isJournal: isJournal, into: lines)
    log.write(Self.entry)
    log.finish()
    let line = try #require(lines.all.first)
    let object = try #require(JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any])
    let names = ["address", "bytes", "id", "level", "method", "ms", "route", "status", "who"]
    #expect(object.keys.sorted() == (names + (isJournal ? [] : ["time"])).sorted())
    #expect(object["ms"] as? Double == 1.3 && object["status"] as? Int == 200 && object["who"] as? String == "device/3")
  }

  @Test("a level excludes lower levels", arguments: [(RequestLog.Level.info, 3), (.warning, 2), (.error, 1)])
  func levels(_ level: RequestLog.Level, _ count: Int) {
    let log = Self.log(.text, level, into: Lines())
    #expect([200, 404, 503].filter { log.wants(status: $0) }.count == count)
    #expect(!Self.log(.off, .info, into: Lines()).wants(status: 503))
  }

  @Test("the log contains no secrets from paths, queries, headers, cookies or bodies, for every route")
  func secrets() async throws {
    let lines = Lines()
    let log = Self.log(.text, into: lines)
    let secret = "gw_0123456789abcdefghijklmnopqrstuv"
    try await AccountServer.with {
      $0.log = log
    } _: { server in
      let device = try await server.device("phone", of: nil)
      let known = device.caller.headers["Authorization"]?.split(separator: " ").last.map(String.init) ?? ""
      #expect(known.count > 10)
      let start = "gw_"
      var count = 0
      for route in Routes.table {
        for method in route.methods where route.path != "/api/v1/events" {
          for word in [secret, known] {
            var path = route.path
            for name in ["TOKEN", "NAME", "ID"] { path = path.replacing(name, with: word) }
            path = path.replacing("PATH", with: "gpslogger/\(word)/phone")
            let basic = Data("x:\(word)".utf8).base64EncodedString()
            for headers in [
              ["Authorization": "Bearer \(word)"], ["Authorization": "Basic \(basic)"], ["Cookie": "godwit_session=\(word)"],
              ["X-Request-Id": word, "User-Agent": word, "Referer": "https://example.org/\(word)", "Origin": word],
            ] {
              server.send(
                method, "\(path)?token=\(word)&api_key=\(word)&id=\(word)", body: #"{"token":"\#(word)"}"#, headers: headers)
              count += 1
            }
          }
        }
      }
      server.send(secret, "/\(secret)")
      log.finish()
      #expect(lines.all.count == count + 1)
      for line in lines.all {
        #expect(!line.contains(start) && !line.contains(known) && !line.contains("MDEyMzQ"), "\(line)")
      }
      // The line of a request contains the id of the request and the device.
      server.send("GET", "/api/overland", as: device.caller, headers: ["X-Request-Id": "find-me"])
      log.finish()
      let found = try #require(lines.all.last)
      #expect(found.contains("id=find-me method=GET route=/api/overland status=200"), "\(found)")
      #expect(found.contains("who=device/\(device.device.id)"))
    }
  }
}
