import Foundation
import Glibc
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation

/// A gpsd of a few lines: for each connection it says a text and hangs up.
private final class FakeGpsd: Sendable {
  let port: UInt16
  private let socket: Int32

  /// - Parameter sayings: what is said to the first connection, to the second, …; then it is gone.
  init(_ sayings: [String]) throws {
    let socket = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
    var size = socklen_t(MemoryLayout<sockaddr_in>.size)
    let isBound = withUnsafeMutablePointer(to: &address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
        bind(socket, $0, size) == 0 && listen(socket, 4) == 0 && getsockname(socket, $0, &size) == 0
      }
    }
    try #require(isBound)
    port = UInt16(bigEndian: address.sin_port)
    self.socket = socket
    Thread {
      for saying in sayings {
        let connection = accept(socket, nil, nil)
        if connection < 0 { return }
        // The client speaks first: ?WATCH=…
        var buffer = [UInt8](repeating: 0, count: 256)
        _ = recv(connection, &buffer, buffer.count, 0)
        _ = send(connection, saying, saying.utf8.count, Int32(MSG_NOSIGNAL))
        close(connection)
      }
      close(socket)
    }.start()
  }
}

private func tpv(_ second: Int, mode: Int = 3) -> String {
  #"{"class":"TPV","mode":\#(mode),"time":"2026-11-20T08:30:\#(second).000Z","lat":45.1,"lon":14.2,"altMSL":700,"eph":3.5,"epv":6,"speed":1.5,"track":90}"#
    + "\r\n"
}

@Suite("Sources of positions")
struct SourceTests {
  @Test("gpsd that hangs up is connected to again, and nothing is told twice", .timeLimit(.minutes(1)))
  func reconnects() async throws {
    let version = #"{"class":"VERSION","release":"3.22","proto_major":3}"# + "\n"
    let gpsd = try FakeGpsd([
      version + tpv(10) + tpv(10) + tpv(11) + #"{"class":"TPV","mode":3,"ti"#,
      version + "junk\n" + tpv(11) + tpv(12, mode: 1) + tpv(13),
    ])
    let source = GpsdSource(host: "127.0.0.1", port: gpsd.port)
    let (events, continuation) = AsyncStream<PositionEvent>.makeStream()
    let running = Task { try await source.run { continuation.yield($0) } }
    var fixes: [Fix] = []
    var problems: [String] = []
    for await event in events {
      if case .positions(let some) = event { fixes += some }
      if case .unavailable(let reason) = event { problems.append(reason) }
      if fixes.count == 3 { break }
    }
    running.cancel()
    _ = await running.result
    #expect(fixes.map { RFC3339.string($0.time) } == [10, 11, 13].map { "2026-11-20T08:30:\($0)Z" })
    #expect(fixes.first?.altitude == 700 && fixes.first?.horizontalAccuracy == 3.5 && fixes.first?.speed == 1.5)
    #expect(problems.first?.contains("closed the connection") == true)
  }

  @Test("a gpsd that is not there is told with what to do", .timeLimit(.minutes(1)))
  func absent() async throws {
    // A port that was just closed.
    let gpsd = try FakeGpsd([])
    let source = GpsdSource(host: "127.0.0.1", port: gpsd.port)
    let (events, continuation) = AsyncStream<PositionEvent>.makeStream()
    let running = Task { try await source.run { continuation.yield($0) } }
    var reason = ""
    for await event in events {
      if case .unavailable(let text) = event, text.contains("refused") {
        reason = text
        break
      }
    }
    running.cancel()
    #expect(reason.contains("Is it running?"))
  }

  @Test(
    "addresses of gpsd",
    arguments: [
      ("gpsd://127.0.0.1:2947", "127.0.0.1", 2947), ("gpsd://boat.local", "boat.local", 2947),
      ("gpsd://[::1]:3000", "::1", 3000), ("gpsd://", nil, 0), ("http://a", nil, 0), ("gpsd://a/b", nil, 0),
      ("gpsd://a:99999", nil, 0),
    ] as [(String, String?, UInt16)])
  func addresses(_ text: String, _ host: String?, _ port: UInt16) {
    let source = GpsdSource(address: text)
    #expect(source?.host == host)
    if host != nil { #expect(source?.port == port) }
  }

  @Test("a line that never ends is given up, and the next one is read")
  func longLine() {
    var reader = GpsdReader()
    #expect(reader.feed([UInt8](repeating: 0x41, count: 200_000)).isEmpty)
    #expect(reader.feed(Array(("\n" + tpv(20)).utf8)).count == 1)
  }

  @Test("a replay waits until each piece has been digested, and tells the times of the file", .timeLimit(.minutes(1)))
  func replay() async throws {
    let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    let file = root.appendingPathComponent("GodwitFormatsTests/Fixtures/korita-zbevnica.gpx").path
    let digested = Mutex(0)
    let reports = Mutex<[ReplaySource.Report]>([])
    let source = ReplaySource(path: file, pace: .unpaced { digested.withLock { $0 += 1 } }) { report in
      reports.withLock { $0.append(report) }
    }
    let told = Mutex<[Fix]>([])
    let isOver = Mutex(false)
    try await source.run { event in
      switch event {
      case .positions(let fixes): told.withLock { $0 += fixes }
      case .finished: isOver.withLock { $0 = true }
      case .unavailable(let reason): Issue.record("\(reason)")
      }
    }
    #expect(told.withLock { $0.count } == 513 && isOver.withLock { $0 } && digested.withLock { $0 } >= 1)
    #expect(
      reports.withLock { $0 } == [
        {
          var report = ReplaySource.Report()
          report.fixes = 513
          report.withoutTime = 358
          return report
        }()
      ])
    let middle = told.withLock { $0[256].time }
    let rest = Mutex(0)
    try await ReplaySource(path: file, pace: .factor(1e9), after: middle).run { event in
      if case .positions(let fixes) = event { rest.withLock { $0 += fixes.count } }
    }
    #expect(rest.withLock { $0 } == 513 - 257)
  }

  @Test("a file that is none is told as a sentence, and the replay is over", .timeLimit(.minutes(1)))
  func noFile() async throws {
    let events = Mutex<[PositionEvent]>([])
    try await ReplaySource(path: "/nowhere.gpx", pace: .factor(1)).run { event in events.withLock { $0.append(event) } }
    #expect(events.withLock { $0 } == [.unavailable("/nowhere.gpx: there is no such file."), .finished])
  }
}
