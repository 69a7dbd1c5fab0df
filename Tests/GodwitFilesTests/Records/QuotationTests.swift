import Foundation
import GodwitModel
import GodwitText
import GodwitTracks
import Testing

@testable import GodwitFiles

@Suite("Quotation marks in tables")
struct QuotationTests {
  private static let heading = "lat,lon,time,name\n"

  private static func line(_ index: Int, _ name: String = "a") -> String {
    "45.4,\(Double(1400 + index % 100) / 100),\(1_790_000_000 + index),\(name)\n"
  }

  private static func lines(_ range: Range<Int>, _ name: String = "a") -> String { range.map { line($0, name) }.joined() }

  @Test(
    "a stray quotation mark rejects only its own line, which is reported, for every size of pieces",
    arguments: [7, 4096, 1 << 20], [20, 1_000, 6_000])
  func stray(_ piece: Int, _ count: Int) {
    let text = Self.heading + Self.lines(0..<9) + Self.line(9, "\"stray") + Self.lines(10..<count)
    let reading = Reading(text, piece: piece)
    #expect(reading.error == nil && reading.records.count == count - 1 && reading.skips == 1)
    let expected = Set((0..<count).filter { $0 != 9 }.map { 1_790_000_000 + Double($0) })
    #expect(Set(reading.records.map(\.time.timeIntervalSince1970)) == expected)
    #expect(reading.skipped.first?.place.line == 11)
    #expect(reading.skipped.first?.place.byte == Self.heading.utf8.count + Self.lines(0..<9).utf8.count)
    #expect(reading.skipped.first?.reason == "a quoted text without its closing quotation mark")
  }

  @Test("the opening mark of another text does not close a stray one", arguments: [5, 4096])
  func followedByQuoted(_ piece: Int) {
    let text =
      Self.heading + Self.line(0, "\"stray") + Self.lines(1..<50) + Self.line(50, "\"b, c\"") + Self.line(51, "\"two\nlines\"")
    let reading = Reading(text, piece: piece)
    #expect(reading.records.count == 51 && reading.skips == 1 && reading.skipped.first?.place.line == 2)
    #expect(reading.records.suffix(2).map(\.extras) == [#"{"name":"b, c"}"#, #"{"name":"two\nlines"}"#])
  }

  @Test("each of several stray marks is reported, also in the last line")
  func several() {
    let text = Self.heading + Self.line(0, "\"a") + Self.line(1, "\"b") + Self.line(2) + Self.line(3, "\"c")
    let reading = Reading(text, piece: 3)
    #expect(reading.records.count == 1 && reading.skipped.map(\.place.line) == [2, 3, 5])
  }

  @Test(
    "a quoted text may contain line breaks, separators and doubled marks",
    arguments: [
      ("\"a\nb\"", "a\\nb"), ("\"\n\n\"", "\\n\\n"), ("\"a\r\n\"\"b\"\"\r\nc\" ", "a\\n\\\"b\\\"\\nc"), ("\"a,\n,\"", "a,\\n,"),
      ("\"a\n45.4,14,1790000000,b\"", "a\\n45.4,14,1790000000,b"),
    ])
  func lineBreaks(_ cell: String, _ expected: String) {
    for piece in [1, 9, 4096] {
      let reading = Reading(Self.heading + Self.line(0) + Self.line(1, cell) + Self.line(2), piece: piece)
      #expect(reading.records.count == 3 && reading.skips == 0)
      #expect(reading.records.dropFirst().first?.extras == "{\"name\":\"\(expected)\"}")
    }
  }

  @Test("a quoted text of many lines is one value, up to the limit")
  func longText() {
    let text = String(repeating: "0123456789\n", count: 5_000)
    let reading = Reading(Self.heading + Self.line(0, "\"\(text)\"") + Self.line(1), piece: 4096)
    #expect(reading.records.count == 2 && reading.skips == 0)
  }

  @Test("headings with an unclosed mark are still headings")
  func headings() {
    let reading = Reading("lat,lon,time,\"name\n" + Self.lines(0..<100))
    #expect(reading.records.count == 100 && reading.skips == 0 && reading.error == nil)
  }

  @Test("reading continues at any checkpoint, also at one inside the lines that are read again")
  func resume() throws {
    let text = Array(
      (Self.heading + Self.lines(0..<300) + Self.line(300, "\"stray") + Self.lines(301..<4_000)
        + Self.line(4_000, "\"two\nlines\"")
        + Self.line(4_001, "\"stray") + Self.lines(4_002..<4_100)).utf8)
    let whole = Reading(text)
    #expect(whole.records.count == 4_098 && whole.skipped.map(\.place.line) == [302, 4_004])
    for checkpoint in Reading(text, piece: 5_000, guess: 300).checkpoints {
      let kept = try JSONDecoder().decode(Checkpoint.self, from: JSONEncoder().encode(checkpoint))
      let rest = Reading(text, piece: 333, from: kept)
      let isSame = rest.records == Array(whole.records[checkpoint.records...])
      #expect(isSame && rest.skipped == whole.skipped && rest.skips == whole.skips, "from byte \(checkpoint.byte)")
    }
  }

  @Test("a stray mark among lines with ambiguous dates is counted once, also after a checkpoint")
  func waiting() throws {
    let dates = (1...9).map { "45.4,14,0\($0)/02/2024 10:00:00,a\n" }.joined()
    let text = Array(
      (Self.heading + dates + "45.4,14,01/02/2024 10:00:00,\"stray\n" + dates + dates + "45.4,14,13/02/2024 10:00:00,\"b\"\n"
        + dates)
        .utf8)
    let whole = Reading(text)
    #expect(whole.records.count == 37 && whole.skips == 1 && whole.skipped.first?.place.line == 11)
    for checkpoint in Reading(text, piece: 40, guess: 20).checkpoints {
      let rest = Reading(text, piece: 30, from: checkpoint)
      #expect(rest.skips == 1 && rest.records.count + checkpoint.records == 37, "from byte \(checkpoint.byte)")
    }
  }

  // A reader that parses all previous lines again for each new line would need hours for these files.
  @Test(
    "the time for reading is proportional to the size, for any quotation marks", .timeLimit(.minutes(20)),
    arguments: [
      "\"" + String(repeating: "\n", count: 1 << 20),
      String(repeating: "\"", count: 200_001) + String(repeating: "\n", count: 200_000),
      // Each line ends inside a quoted text, whether or not it begins inside one.
      String(repeating: "1,\",\"2\n", count: 200_000), String(repeating: "a\",\"b\n", count: 200_000),
    ])
  func hostile(_ lines: String) {
    let reading = Reading(Self.heading + Self.line(0) + lines + Self.line(1), piece: 1 << 16)
    #expect(!reading.records.isEmpty && reading.skips > 0)
  }
}
