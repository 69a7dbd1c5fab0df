package import Foundation

/// A certificate in a PEM file, with the end of its validity.
package struct CertificateFile: Sendable, Hashable {
  package var notBefore: Date
  package var notAfter: Date

  /// Reads the first certificate of a file.
  /// - Throws: a sentence if the file has no certificate.
  package init(path: String) throws(Fault) {
    guard let data = FileManager.default.contents(atPath: path) else { throw Fault("\(path) cannot be read") }
    try self.init(pem: String(decoding: data, as: UTF8.self), path: path)
  }

  /// - Parameters:
  ///   - pem: the text of the file.
  ///   - path: the path of the file, for the error.
  package init(pem: String, path: String) throws(Fault) {
    let (head, foot) = ("-----BEGIN CERTIFICATE-----", "-----END CERTIFICATE-----")
    guard let start = pem.range(of: head), let end = pem.range(of: foot, range: start.upperBound..<pem.endIndex) else {
      throw Fault("\(path) has no certificate in PEM (\(head))")
    }
    let text = pem[start.upperBound..<end.lowerBound].filter { !$0.isWhitespace }
    guard let der = Data(base64Encoded: text) else { throw Fault("\(path): the certificate is no Base64") }
    var outer = DER(Array(der))
    // Certificate, TBSCertificate; then optional version, number, algorithm, issuer, validity (RFC 5280, 4.1).
    guard var certificate = outer.enter(0x30), var signed = certificate.enter(0x30) else {
      throw Fault("\(path): this is no X.509 certificate")
    }
    _ = signed.skip(0xA0)
    guard signed.skip(0x02), signed.skip(0x30), signed.skip(0x30), var validity = signed.enter(0x30),
      let from = validity.time(), let to = validity.time()
    else { throw Fault("\(path): the certificate does not say until when it holds") }
    (notBefore, notAfter) = (from, to)
  }

  package struct Fault: Error, CustomStringConvertible {
    package let description: String
    init(_ description: String) { self.description = description }
  }
}

/// Values of ASN.1 in the distinguished encoding (X.690), in sequence.
private struct DER {
  private var bytes: ArraySlice<UInt8>

  init(_ bytes: [UInt8]) { self.bytes = bytes[...] }

  private mutating func next(_ tag: UInt8) -> ArraySlice<UInt8>? {
    guard bytes.first == tag, bytes.count >= 2 else { return nil }
    var rest = bytes.dropFirst(2)
    var length = Int(bytes[bytes.startIndex + 1])
    if length >= 0x80 {
      let count = length & 0x7F
      guard (1...4).contains(count), rest.count >= count else { return nil }
      length = rest.prefix(count).reduce(0) { $0 << 8 | Int($1) }
      rest = rest.dropFirst(count)
    }
    guard rest.count >= length else { return nil }
    bytes = rest.dropFirst(length)
    return rest.prefix(length)
  }

  /// The content of the next value, if it has this tag.
  mutating func enter(_ tag: UInt8) -> DER? { next(tag).map { DER(Array($0)) } }

  /// Skips the next value, if it has this tag.
  mutating func skip(_ tag: UInt8) -> Bool { next(tag) != nil }

  /// `YYMMDDHHMMSSZ` or `YYYYMMDDHHMMSSZ`.
  mutating func time() -> Date? {
    let (text, isShort): (ArraySlice<UInt8>, Bool)
    if let short = next(0x17) {
      (text, isShort) = (short, true)
    } else if let long = next(0x18) {
      (text, isShort) = (long, false)
    } else {
      return nil
    }
    let digits = text.dropLast().map { Int($0) - 48 }
    guard text.last == UInt8(ascii: "Z"), digits.count == (isShort ? 12 : 14), digits.allSatisfy({ (0...9).contains($0) }) else {
      return nil
    }
    var numbers = stride(from: 0, to: digits.count, by: 2).map { digits[$0] * 10 + digits[$0 + 1] }
    // Two-digit years are 1950 to 2049.
    let year = isShort ? numbers.removeFirst() : numbers.removeFirst() * 100 + numbers.removeFirst()
    var parts = DateComponents(timeZone: .gmt, year: isShort ? (year < 50 ? 2000 : 1900) + year : year)
    (parts.month, parts.day, parts.hour, parts.minute, parts.second) = (
      numbers[0], numbers[1], numbers[2], numbers[3], numbers[4]
    )
    return Calendar(identifier: .gregorian).date(from: parts)
  }
}
