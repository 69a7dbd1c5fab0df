import Foundation
import TestTexts
import Testing

@testable import GodwitText

/// Reads one JSON value. Returns the error, or `nil` for valid JSON.
private func validate(_ bytes: [UInt8]) -> JSONReader.Fault? {
  let padded = bytes + [UInt8](repeating: 0, count: JSONReader.padding)
  return padded.withUnsafeBufferPointer { buffer in
    guard let base = buffer.baseAddress else { return nil }
    var reader = JSONReader(base: base, count: bytes.count)
    do throws(JSONReader.Fault) {
      try reader.skipValue()
      try reader.finish()
      return nil
    } catch { return error }
  }
}

@Suite("The JSON reader")
struct JSONReaderTests {
  @Test(
    "valid JSON (RFC 8259) is read",
    arguments: [
      "0", "-0", "1.5e-3", "1E400", "\"\"", "\"a\\u00e9\\ud83d\\ude00\\n\"", "\"é😀\"", "[]", "{}", " [ 1 , {\"a\" : null } ] \n",
      "true", "false", "null", "[[[[[[]]]]]]", "{\"a\":{\"b\":[1,2,{\"c\":\"d\"}]},\"e\":false}",
    ])
  func valid(_ text: String) {
    #expect(validate(Array(text.utf8)) == nil)
  }

  @Test(
    "invalid JSON is rejected with the offset of the error",
    arguments: [
      ("", 0), ("01", 0), ("1.", 2), ("1e", 2), ("+1", 0), (".5", 0), ("nul", 0), ("[1,]", 3), ("[1 2]", 3), ("{\"a\"}", 4),
      ("{a:1}", 1), ("{\"a\":1,}", 7), ("\"\u{1}\"", 1), ("\"\\x\"", 1), ("\"\\ud800\"", 1), ("\"\\udc00\"", 1),
      ("\"\\u12g4\"", 1), ("[1]x", 3), ("\"abc", 4), ("[", 1), ("{\"a\":", 5), ("'a'", 0), ("NaN", 0), ("1 1", 2),
    ])
  func invalid(_ text: String, _ offset: Int) {
    let fault = validate(Array(text.utf8))
    #expect(fault?.offset == offset, "\(fault?.reason ?? "accepted")")
  }

  @Test(
    "ill-formed UTF-8 is rejected",
    arguments: [
      [0x80], [0xC0, 0x80], [0xC3], [0xE0, 0x80, 0x80], [0xED, 0xA0, 0x80], [0xF0, 0x80, 0x80, 0x80],
      [0xF4, 0x90, 0x80, 0x80], [0xF5, 0x80, 0x80, 0x80], [0xE2, 0x82], [0xFF],
    ] as [[UInt8]])
  func utf8(_ bytes: [UInt8]) {
    #expect(validate([0x22] + bytes + [0x22]) != nil)
    #expect(validate([0x22] + Array("1234567".utf8) + bytes + [0x22]) != nil)
  }

  @Test("a zero byte is rejected with its offset")
  func zero() {
    #expect(validate([0x5B, 0x31, 0x00, 0x5D])?.offset == 2)
    #expect(validate([0x22, 0x00, 0x22])?.offset == 1)
  }

  @Test("ten million brackets are rejected at the maximum depth", .timeLimit(.minutes(20)))
  func depth() {
    let fault = validate([UInt8](repeating: UInt8(ascii: "["), count: 10_000_000))
    #expect(fault?.offset == JSONReader.maximumDepth)
  }

  @Test(
    "numbers are rounded to the nearest value of their type",
    arguments: [
      "0", "-0.0", "1", "0.1", "-122.030581", "37.3318000", "1e22", "1e23", "9007199254740993", "123456789012345678901234567890",
      "1.7976931348623157e308", "5e-324", "2.2250738585072011e-308", "0.30000000000000004", "14.018194014", "1e-7", "1e400",
    ])
  func numbers(_ text: String) throws {
    let bytes = Array(text.utf8) + [UInt8](repeating: 0, count: JSONReader.padding)
    try bytes.withUnsafeBufferPointer { buffer in
      guard let base = buffer.baseAddress else { return }
      var reader = JSONReader(base: base, count: text.utf8.count)
      let value = try reader.number()
      #expect(value.bitPattern == strtod(text, nil).bitPattern)
    }
  }

  @Test("written numbers round-trip up to their decimals", arguments: [0, 2, 7, 9])
  func decimals(_ decimals: Int) throws {
    var random = SeededNumbers(UInt64(decimals))
    for _ in 0..<2000 {
      let value = Double.random(in: -180...180, using: &random)
      var bytes: [UInt8] = []
      DecimalWriter.append(value, decimals: decimals, to: &bytes)
      let text = String(decoding: bytes, as: UTF8.self)
      let read = try #require(Double(text))
      #expect(abs(read - value) <= 0.500001 * pow(10, -Double(decimals)), "\(value) became \(text)")
      #expect(!text.contains("e") && !text.hasSuffix("."))
      #expect(bytes.withUnsafeBufferPointer { DecimalParser.double($0) } == read)
    }
  }
}
