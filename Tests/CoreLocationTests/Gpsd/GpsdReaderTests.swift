import Foundation
import GodwitModel
import Testing

@testable import CoreLocation
@testable import GodwitReceivers

/// Returns a report of gpsd (TPV) with a position.
func tpv(_ second: Int, mode: Int = 3, device: String = "/dev/ttyACM0", eph: Double = 3.5) -> String {
  #"{"class":"TPV","device":"\#(device)","mode":\#(mode),"time":"2026-11-20T08:30:\#(second < 10 ? "0" : "")\#(second).000Z","#
    + #""lat":45.1,"lon":14.2,"altMSL":700,"eph":\#(eph),"epv":6,"speed":1.5,"track":90}"# + "\r\n"
}

/// Returns a report of gpsd (TPV) without a position.
private func void(_ device: String = "/dev/ttyACM0", time: String? = "2026-11-20T08:30:00.000Z") -> String {
  #"{"class":"TPV","device":"\#(device)","mode":1\#(time.map { #","time":"\#($0)""# } ?? "")}"# + "\n"
}

private func plug(_ isIn: Bool, _ device: String = "/dev/ttyACM0") -> String {
  #"{"class":"DEVICE","path":"\#(device)","activated":\#(isIn ? #""2026-11-20T08:00:00.000Z""# : "0")}"# + "\n"
}

extension GpsdReader {
  fileprivate mutating func feed(_ text: String) -> [PositionEvent] { feed(Array(text.utf8)) }
}

private func reasons(_ events: [PositionEvent]) -> [String] {
  events.compactMap { if case .unavailable(let reason) = $0 { reason } else { nil } }
}

private func fixes(_ events: [PositionEvent]) -> [Fix] {
  events.flatMap { if case .positions(let fixes) = $0 { fixes } else { [] as [Fix] } }
}

@Suite("Reports of gpsd")
struct GpsdReaderTests {
  private static let today = Date(timeIntervalSince1970: 1_795_000_000)  // 2026-11-18

  @Test("a receiver without a fix is reported once, after three reports, with and without a time", arguments: [true, false])
  func noFix(_ hasTime: Bool) {
    var reader = GpsdReader()
    let report = void(time: hasTime ? "2026-11-20T08:30:00.000Z" : nil)
    #expect(reader.feed(report + report).isEmpty)
    let reported = reasons(reader.feed(report + report + report))
    #expect(reported.count == 1 && reported.first?.contains("/dev/ttyACM0 has no fix yet") == true)
    #expect(fixes(reader.feed(tpv(1))).count == 1)
    // One or two reports without a fix do not mean that the receiver has lost its fix.
    #expect(reader.feed(report + report).isEmpty)
    #expect(fixes(reader.feed(tpv(2))).count == 1)
    #expect(reasons(reader.feed(report + report + report)) == ["The receiver /dev/ttyACM0 has lost its fix."])
  }

  @Test("a receiver with a two-dimensional fix has no altitude, although gpsd still sends one")
  func regression() {
    var reader = GpsdReader()
    let reported = fixes(reader.feed(tpv(1) + tpv(2, mode: 2) + tpv(3)))
    #expect(reported.map(\.altitude) == [700, nil, 700] && reported.map(\.verticalAccuracy) == [6, nil, 6])
  }

  @Test("pulses, satellites and partial positions alone report nothing")
  func others() {
    var reader = GpsdReader()
    let lines = [
      #"{"class":"PPS","device":"/dev/pps0","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":1}"#,
      #"{"class":"TOFF","device":"/dev/ttyACM0","real_sec":1,"real_nsec":0,"clock_sec":1,"clock_nsec":1}"#,
      #"{"class":"SKY","device":"/dev/ttyACM0","satellites":[]}"#, #"{"class":"WATCH","enable":true}"#,
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"epv":23.0,"eph":19.0}"#,
      #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"2026-11-20T08:30:01.000Z"}"#, #"{"class":"TPV"}"#,
    ]
    #expect(reader.feed(lines.joined(separator: "\n") + "\n").isEmpty)
    #expect(reader.unreadable == 0)
  }

  @Test("a report with a mode that gpsd does not define is skipped", arguments: ["1e30", "-1e30", "4", "2.5", "-1"])
  func modes(_ mode: String) {
    var reader = GpsdReader()
    let line = #"{"class":"TPV","device":"/dev/pts/1","mode":\#(mode),"time":"2026-11-29T23:40:00.000Z","lat":46.1,"lon":14.5}"#
    #expect(reader.feed((line + "\n") + (line + "\n") + (line + "\n")).isEmpty)
    #expect(fixes(reader.feed(tpv(1))).count == 1)
  }

  @Test("positions without a time are not used, and the reason is reported once")
  func timeless() {
    var reader = GpsdReader()
    let line = #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"lat":45.1,"lon":14.2}"# + "\n"
    #expect(reasons(reader.feed(line + line + line + line)).map { $0.contains("without a time") } == [true])
  }

  @Test(
    "dates that are wrong by a week rollover are rejected with the reason, and others are accepted",
    arguments: [
      // 1024 and 2048 weeks, and dates near them for a machine whose clock is wrong.
      ("2007-04-07T08:30:00Z", 1024), ("2007-08-30T08:30:00Z", 1003), ("2006-11-20T08:30:00Z", 1043),
      ("1980-01-06T00:00:15Z", 2445), ("1999-08-21T00:00:00Z", 1422),
      // Old logs that are replayed, and a machine whose clock is behind.
      ("2010-10-03T08:30:00Z", nil), ("2007-11-20T08:30:00Z", nil), ("2026-11-20T08:30:00Z", nil),
      ("2036-07-01T08:30:00Z", nil),
      // Dates ahead cannot be distinguished from a machine whose clock is 20 years behind.
      ("2046-07-04T08:30:00Z", -1024), ("2066-02-15T08:30:00Z", -2048),
    ] as [(String, Int?)])
  func weeks(_ time: String, _ weeks: Int?) {
    var reader = GpsdReader { Self.today }
    let line = #"{"class":"TPV","device":"/dev/ttyACM0","mode":3,"time":"\#(time)","lat":45.1,"lon":14.2}"# + "\n"
    let events = reader.feed(line + line + line + line)
    #expect(fixes(events).count == (weeks == nil ? 1 : 0))
    let text = weeks.map { $0 < 0 ? "\(-$0) weeks ahead" : "\($0) weeks ago" } ?? ""
    #expect(reasons(events).map { $0.contains(text) } == (weeks == nil ? [] : [true]))
  }

  @Test(
    "missing features of gpsd are reported with a remedy",
    arguments: [
      (#"{"class":"DEVICES","devices":[]}"#, nil, "gpsdctl add /dev/ttyACM0"),
      (#"{"class":"DEVICES","devices":[]}"#, "/dev/ttyUSB1", "gpsd has no receiver, and not /dev/ttyUSB1"),
      (
        #"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0"}]}"#, "/dev/ttyUSB1",
        "gpsd has /dev/ttyACM0, and not /dev/ttyUSB1"
      ),
      (#"{"class":"ERROR","message":"no such thing"}"#, nil, "gpsd reports: no such thing"),
      (#"{"class":"VERSION","release":"2.39","proto_major":2}"#, nil, "gpsd 2.39 speaks version 2"),
    ] as [(String, String?, String)])
  func lacks(_ line: String, _ device: String?, _ text: String) {
    var reader = GpsdReader(device: device)
    let reported = reasons(reader.feed(line + "\n"))
    #expect(reported.count == 1 && reported.first?.contains(text) == true)
  }

  @Test(
    "a complete gpsd reports no missing feature",
    arguments: [
      (#"{"class":"DEVICES","devices":[{"class":"DEVICE","path":"/dev/ttyACM0"}]}"#, nil),
      (#"{"class":"DEVICES","devices":[{"path":"/dev/ttyACM0"},{"path":"/dev/ttyUSB1"}]}"#, "/dev/ttyUSB1"),
      (#"{"class":"VERSION","release":"3.25","proto_major":3}"#, nil),
    ] as [(String, String?)])
  func lacksNothing(_ line: String, _ device: String?) {
    var reader = GpsdReader(device: device)
    #expect(reader.feed(line + "\n").isEmpty)
  }

  @Test("an unplugged receiver is reported, and gpsd is queried again when it returns")
  func unplugged() {
    var reader = GpsdReader()
    var asks: [Bool] = []
    #expect(reader.feed(plug(true)).isEmpty)
    asks.append(reader.takeWatch())
    #expect(fixes(reader.feed(tpv(1))).count == 1)
    #expect(reasons(reader.feed(plug(false))) == ["The receiver /dev/ttyACM0 was unplugged."])
    asks.append(reader.takeWatch())
    #expect(reader.feed(plug(true)).isEmpty)
    asks += [reader.takeWatch(), reader.takeWatch()]
    #expect(asks == [false, false, true, false])
    #expect(fixes(reader.feed(tpv(2))).count == 1)
  }

  @Test(
    "one of two receivers is used; the other takes over after the first is unplugged or loses its fix",
    arguments: [true, false])
  func two(_ isUnplugged: Bool) {
    var reader = GpsdReader()
    let other = "/dev/ttyUSB0"
    for second in 1...3 {
      #expect(fixes(reader.feed(tpv(second) + tpv(second, device: other))).count == 1)
    }
    // While the other receiver has a position nothing is missing, and a time that was reported is not reported again.
    #expect(reader.feed((isUnplugged ? plug(false) : void()) + tpv(3, device: other)).isEmpty == !isUnplugged)
    #expect(fixes(reader.feed(tpv(4, device: other))).count == 1)
    #expect(reasons(reader.feed(void() + void() + void())).isEmpty)
    // The first receiver returns with the same quality, so there is no switch.
    #expect(fixes(reader.feed(tpv(5, device: other) + tpv(5))).count == 1)
  }

  @Test("only the selected receiver is used, however good the others are")
  func chosen() {
    var reader = GpsdReader(device: "/dev/ttyUSB0")
    #expect(reader.feed(tpv(1) + tpv(1, mode: 1) + plug(false)).isEmpty)
    #expect(fixes(reader.feed(tpv(1, mode: 2, device: "/dev/ttyUSB0", eph: 900))).count == 1)
    #expect(reader.feed(tpv(2) + tpv(9)).isEmpty)
  }

  @Test("control characters are removed from the messages of gpsd")
  func escapes() {
    var reader = GpsdReader()
    let line = #"{"class":"ERROR","message":"\u001b[2Jno \u0007such thing"}"# + "\n"
    #expect(reasons(reader.feed(line)) == ["gpsd reports: [2Jno such thing"])
  }

  @Test("a connection without reports is reported after ten seconds, once, unless a reason or a position was reported")
  func noReports() {
    var reader = GpsdReader()
    let reported = [9.0, 10, 11].map { reader.lasted($0, at: "a:1") != nil }
    #expect(reported == [false, true, false])
    reader.disconnected()
    _ = reader.feed(tpv(1))
    #expect(reader.lasted(60, at: "a:1") == nil)
    reader.disconnected()
    _ = reader.feed(#"{"class":"DEVICES","devices":[]}"# + "\n")
    #expect(reader.lasted(60, at: "a:1") == nil)
  }

  @Test("a line that is too long is dropped, and the next line is read")
  func longLine() {
    var reader = GpsdReader()
    #expect(reader.feed([UInt8](repeating: 0x41, count: 200_000)).isEmpty)
    #expect(reader.feed("\n" + tpv(20)).count == 1)
  }
}

@Suite("The choice of a receiver")
struct GpsdChoiceTests {
  private typealias Quality = GpsdChoice.Quality

  private func at(_ second: Double) -> Date { Date(timeIntervalSince1970: 1_800_000_000 + second) }

  @Test(
    "an altitude is better than none, then an error that is smaller by a fifth",
    arguments: [
      (3, 20, 2, 1, true), (2, 1, 3, 20, false), (3, 7.9, 3, 10, true), (3, 8.1, 3, 10, false), (3, 10, 3, nil, true),
      (3, nil, 3, 10, false), (3, nil, 3, nil, false), (2, nil, 2, nil, false),
    ] as [(Int, Double?, Int, Double?, Bool)])
  func better(_ mode: Int, _ error: Double?, _ otherMode: Int, _ otherError: Double?, _ isBetter: Bool) {
    #expect(Quality(mode: mode, error: error).isBetter(than: Quality(mode: otherMode, error: otherError)) == isBetter)
  }

  @Test("a better receiver takes over after five seconds, and short fluctuations do not switch back")
  func hysteresis() {
    var choice = GpsdChoice()
    var reported: [String] = []
    for second in 0..<30 {
      // The first receiver is worse from second 10 to 12, and from second 15 on.
      let isWorse = (10..<13).contains(second) || second >= 15
      if choice.handle("a", Quality(mode: 3, error: isWorse ? 20 : 5), at: at(Double(second))) { reported.append("a") }
      if choice.handle("b", Quality(mode: 3, error: second.isMultiple(of: 2) ? 6 : 7), at: at(Double(second))) {
        reported.append("b")
      }
    }
    // In second 20 both are reported, because the first report is from before the change.
    #expect(reported == [String](repeating: "a", count: 21) + [String](repeating: "b", count: 10))
  }

  @Test("a receiver that sends no reports is replaced after five seconds, at any report rate of the other", arguments: [1, 10])
  func noData(_ rate: Int) {
    var choice = GpsdChoice()
    _ = choice.handle("a", Quality(mode: 3, error: 5), at: at(0))
    for step in 1...(5 * rate) {
      let isReported = choice.handle("b", Quality(mode: 2, error: 50), at: at(Double(step) / Double(rate)))
      #expect(isReported == (step == 5 * rate))
    }
    #expect(choice.device == "b")
  }

  @Test("a receiver with a low rate is not replaced between its positions")
  func pace() {
    var choice = GpsdChoice()
    var reported: [String] = []
    for second in stride(from: 0.0, through: 100, by: 10) {
      // The order of the two receivers alternates.
      for device in second.truncatingRemainder(dividingBy: 20) == 0 ? ["a", "b"] : ["b", "a"] {
        if choice.handle(device, Quality(mode: 3, error: 5), at: at(second)) { reported.append(device) }
      }
    }
    #expect(Set(reported.dropFirst(2)).count == 1 && reported.count >= 10)
  }

  @Test("a receiver without a position is replaced by the next that has one")
  func lost() {
    var choice = GpsdChoice()
    _ = choice.handle("a", Quality(mode: 3, error: 5), at: at(0))
    choice.lose("b")
    #expect(choice.device == "a")
    choice.lose("a")
    #expect(choice.device == nil)
    let isReported = choice.handle("b", Quality(mode: 2, error: nil), at: at(0))
    #expect(isReported && choice.device == "b")
  }
}
