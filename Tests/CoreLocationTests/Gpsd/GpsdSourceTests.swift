import Foundation
import GodwitModel
import Synchronization
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

@Suite("Positions from gpsd")
struct GpsdSourceTests {
  @Test("a closed connection to gpsd is opened again, and no position is reported twice", .timeLimit(.minutes(20)))
  func reconnects() async throws {
    let version = #"{"class":"VERSION","release":"3.22","proto_major":3}"# + "\n"
    let gpsd = try FakeGpsd([
      [version + tpv(10) + tpv(10) + tpv(11) + #"{"class":"TPV","mode":3,"ti"#],
      [version + "junk\n" + tpv(11) + tpv(12, mode: 1) + tpv(13)],
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

  @Test("the message for a missing gpsd has a remedy", .timeLimit(.minutes(20)))
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
      ("gpsd://a/dev/", nil, 0),
      ("gpsd://a:99999", nil, 0),
    ] as [(String, String?, UInt16)])
  func addresses(_ text: String, _ host: String?, _ port: UInt16) {
    let source = GpsdSource(address: text)
    #expect(source?.host == host)
    if host != nil { #expect(source?.port == port) }
  }

  @Test(
    "an address may select a receiver",
    arguments: [
      ("gpsd://a:2947/dev/ttyUSB0", "/dev/ttyUSB0"), ("gpsd://a/dev/serial/by-id/usb-u-blox", "/dev/serial/by-id/usb-u-blox"),
      ("gpsd://a/", nil), ("gpsd://a", nil),
    ] as [(String, String?)])
  func device(_ text: String, _ device: String?) throws {
    let source = try #require(GpsdSource(address: text))
    #expect(source.device == device)
  }

  @Test("a receiver that returns is watched again", .timeLimit(.minutes(20)))
  func watchesAgain() async throws {
    let plugs = ["0", #""2026-11-20T08:30:05.000Z""#].map {
      #"{"class":"DEVICE","path":"/dev/ttyACM0","activated":\#($0)}"# + "\n"
    }
    let gpsd = try FakeGpsd([[tpv(1) + plugs.joined(), tpv(9)]])
    let reported = Reported<PositionEvent>()
    let source = GpsdSource(host: "127.0.0.1", port: gpsd.port)
    let running = Task { try await source.run(reported.handle) }
    var times: [String] = []
    while times.count < 2 {
      times += try await reported.first {
        if case .positions(let fixes) = $0 { fixes.map { RFC3339.string($0.time) } } else { nil }
      }
    }
    #expect(times == ["2026-11-20T08:30:01Z", "2026-11-20T08:30:09Z"])
    running.cancel()
  }

  @Test(
    "an address without gpsd's protocol and a gpsd without positions are reported with different reasons",
    .timeLimit(.minutes(20)),
    arguments: [
      ("\n", "does not answer like gpsd"), ("220 mail.example.org ESMTP\r\n", "does not answer like gpsd"),
      (#"{"class":"SKY","device":"/dev/ttyACM0","satellites":[]}"# + "\n", "sends no positions"),
    ])
  func noReports(_ text: String, _ reason: String) async throws {
    // The second response waits for another ?WATCH, so the connection stays open.
    let gpsd = try FakeGpsd([[text, ""]])
    let clock = Mutex(0.0)
    let reported = Reported<PositionEvent>()
    let source = GpsdSource(host: "127.0.0.1", port: gpsd.port, device: nil, wait: ManualSleep(returnsAtOnce: false).wait) {
      clock.withLock { seconds in
        seconds += 9
        return seconds
      }
    }
    let running = Task { try await source.run(reported.handle) }
    guard case .unavailable(let sentence) = try await reported.next() else {
      Issue.record("no reason was reported")
      return
    }
    #expect(sentence.contains(reason) && sentence.contains("127.0.0.1:\(gpsd.port)"))
    running.cancel()
  }

  @Test("a missing gpsd is retried at growing intervals and reported once", .timeLimit(.minutes(20)))
  func backsOff() async throws {
    let waits = ManualSleep(returnsAtOnce: true)
    let reported = Reported<PositionEvent>()
    let source = GpsdSource(host: "127.0.0.1", port: 1, device: nil, wait: waits.wait)
    let running = Task { try await source.run(reported.handle) }
    guard case .unavailable(let reason) = try await reported.next() else {
      Issue.record("no reason was reported")
      return
    }
    #expect(reason.contains("systemctl enable --now gpsd.socket"))
    while waits.seconds.count < 7 { await Task.yield() }
    #expect(waits.seconds.prefix(7) == [1, 2, 4, 8, 16, 30, 30])
    running.cancel()
    _ = await running.result
    // Nothing else was reported: the next event is that of the test.
    await reported.handle(.finished)
    #expect(try await reported.next() == .finished)
  }
}
