import Foundation
import GodwitModel
import GodwitText
import GodwitTracks
import TestTexts
import Testing

@testable import GodwitFiles

@Suite("Files of records")
struct RecordStreamTests {
  @Test("each format is detected by its content", arguments: Sample.all)
  func guess(_ sample: Sample) {
    let reading = Reading(sample.bytes)
    #expect(reading.format == sample.format)
    #expect(reading.error == nil)
    #expect(reading.records.count == sample.count)
  }

  @Test("the result does not depend on the size of the pieces", arguments: Sample.all, [1, 2, 3, 7, 64, 333])
  func pieces(_ sample: Sample, _ size: Int) {
    let (whole, cut) = (Reading(sample.bytes), Reading(sample.bytes, piece: size))
    let isSame = cut.records == whole.records
    #expect(isSame)
    #expect(cut.skipped == whole.skipped && cut.skips == whole.skips && cut.withoutTime == whole.withoutTime)
    #expect(cut.error == whole.error)
  }

  @Test("reading continues at any checkpoint stored as JSON, and returns each remaining record once", arguments: Sample.all)
  func resume(_ sample: Sample) throws {
    let bytes = sample.bytes
    let whole = Reading(bytes)
    let cut = Reading(bytes, piece: 37, guess: sample.guess)
    let isSame = cut.records == whole.records
    #expect(isSame)
    #expect(!cut.checkpoints.isEmpty)
    var seen: Set<Int> = []
    for checkpoint in cut.checkpoints where seen.insert(checkpoint.byte).inserted || checkpoint.state == nil {
      let kept = try JSONDecoder().decode(Checkpoint.self, from: JSONEncoder().encode(checkpoint))
      #expect(kept == checkpoint)
      let rest = Reading(bytes, piece: 41, from: kept)
      #expect(rest.error == nil)
      let expected = Array(whole.records[checkpoint.records...])
      let isSame = rest.records == expected
      #expect(isSame, "from byte \(checkpoint.byte)")
      #expect(rest.skips == whole.skips && rest.withoutTime == whole.withoutTime, "from byte \(checkpoint.byte)")
    }
  }

  @Test("a truncated file has a prefix of the records", arguments: Sample.all)
  func truncated(_ sample: Sample) {
    let whole = Reading(sample.bytes)
    for end in 0..<sample.bytes.count {
      let part = Reading(Array(sample.bytes[..<end]))
      #expect(part.records.count <= whole.records.count)
      // In a format of lines, the last record may lack the values of the truncated part.
      let complete = part.records.dropLast()
      let isSame = complete.elementsEqual(whole.records.prefix(complete.count))
      #expect(isSame, "at byte \(end)")
    }
  }

  @Test("changed bytes do not crash the reader, and the result does not depend on the size of the pieces", arguments: Sample.all)
  func mutated(_ sample: Sample) {
    var random = SeededNumbers(7)
    for round in 0..<400 {
      var bytes = sample.bytes
      for _ in 0...(round % 4) {
        let index = Int(random.next() % UInt64(bytes.count))
        switch random.next() % 4 {
        case 0: bytes[index] = UInt8(truncatingIfNeeded: random.next())
        case 1: bytes.remove(at: index)
        case 2: bytes.insert(Array("\"{}[],:\\<>&;0-9.eE\0\u{ff}".utf8)[Int(random.next() % 20)], at: index)
        default: bytes.replaceSubrange(index..<min(bytes.count, index + 9), with: Array("1e999999\"".utf8))
        }
      }
      let (whole, cut) = (Reading(bytes), Reading(bytes, piece: 13))
      let isSame = whole.format != cut.format || whole.records == cut.records
      #expect(isSame)
      for record in whole.records { #expect(record.time.timeIntervalSince1970.isFinite) }
    }
  }

  @Test(
    "a file of another kind is rejected with the reason",
    arguments: [
      ("", "it is empty"), ("   \n", "it is empty"), ("hello", "it begins with \"hello\""), ("{\"a\":1}", "its members are a"),
      ("\u{feff}[]", "it is JSON"), ("<html></html>", "it begins with \"<html>"),
    ])
  func rejected(_ text: String, _ reason: String) {
    let reading = Reading(text)
    #expect(reading.error?.contains(reason) == true, "\(reading.error ?? "accepted")")
    #expect(reading.records.isEmpty)
  }

  @Test("text in UTF-16 is rejected, and the error names UTF-16; XML that declares it is read")
  func utf16() throws {
    for encoding in [String.Encoding.utf16LittleEndian, .utf16BigEndian, .utf16] {
      let data = try #require("{\"locations\":[]}".data(using: encoding))
      #expect(Reading([UInt8](data)).error?.contains("UTF-16") == true)
    }
    let sample = try #require(Sample.all.first { $0.format == .gpx })
    let text = String(decoding: sample.bytes, as: UTF8.self)
      .replacing("<?xml version=\"1.0\"?>", with: "<?xml version=\"1.0\" encoding=\"UTF-16\"?>")
    let reading = Reading([UInt8](try #require(text.data(using: .utf16))))
    #expect(reading.error == nil && reading.records.count == 3)
  }

  @Test("a byte order mark and line ends of Windows do not change the records", arguments: Sample.all.filter(\.isText))
  func windows(_ sample: Sample) {
    let text = String(decoding: sample.bytes, as: UTF8.self)
    let reading = Reading("\u{feff}" + text.replacing("\n", with: "\r\n"), piece: 50)
    let isSame = reading.records == Reading(text).records
    #expect(isSame)
    #expect(reading.error == nil)
  }
}

@Suite("JSON in pieces")
struct JSONStreamTests {
  @Test("parts that are too long, too deep or of another kind are skipped with their position, and the others are read")
  func oversize() {
    let feature = #"{"geometry":{"coordinates":[1,2]},"properties":{"timestamp":"2026-01-01T00:00:00Z"}}"#
    let deep = String(repeating: "[", count: 100) + String(repeating: "]", count: 100)
    let long = #"{"a":"\#(String(repeating: "x\\\"]", count: 5 << 20))"}"#
    let text = #"{"locations":[\#(feature),\#(deep),\#(long),\#(feature),{"a":\#(deep)},\#(feature)]}"#
    let reading = Reading(text, piece: 1 << 20)
    #expect(reading.error == nil)
    #expect(reading.records.count == 3)
    #expect(reading.skipped.map(\.place.path) == ["$.locations[1]", "$.locations[2]", "$.locations[4]"])
    #expect(reading.skipped.first?.place.byte == 14 + feature.utf8.count + 1)
    #expect(reading.skipped.map { $0.reason.prefix(9) } == ["arrays an", "a value o", "arrays an"])
  }

  @Test(
    "invalid JSON is an error with its position, and the records before it are returned",
    arguments: [
      (#"{"locations":[FEATURE,{"a":}]}"#, "$.locations[1]"), (#"{"locations":[FEATURE,FEATURE"#, "$.locations[1]"),
      (#"{"locations":[FEATURE FEATURE]}"#, "$.locations[0]"), (#"{"locations":[FEATURE],}"#, "$"),
      (#"{"locations":[FEATURE]} x"#, "$"), (#"{"locations":[FEATURE,{"a":"\ud800"}]}"#, "$.locations[1]"),
      (#"{"locations":[FEATURE],"x":[[1]"#, "$.x"),
    ])
  func broken(_ text: String, _ path: String) {
    let feature = #"{"geometry":{"coordinates":[1,2]},"properties":{"timestamp":"2026-01-01T00:00:00Z"}}"#
    for piece in [1, 10_000] {
      let reading = Reading(text.replacing("FEATURE", with: feature), piece: piece)
      #expect(!reading.records.isEmpty)
      #expect(reading.error?.hasPrefix("Overland, \(path)") == true, "\(reading.error ?? "accepted")")
    }
  }
}
