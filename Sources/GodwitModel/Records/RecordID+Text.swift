/// The text form of the identifier: sixteen hexadecimal digits, a hyphen and a decimal number: "9f86d081884c7d65-17".
extension RecordID: LosslessStringConvertible {
  public init?(_ description: String) {
    var text = description
    let parsed = text.withUTF8 { RecordID(utf8: $0) }
    guard let parsed else { return nil }
    self = parsed
  }

  /// Parses the text form from bytes; `nil` for any other text.
  public init?(utf8 bytes: UnsafeBufferPointer<UInt8>) {
    guard bytes.count >= 18, bytes.count <= 36, bytes[16] == UInt8(ascii: "-") else { return nil }
    var journal: UInt64 = 0
    for byte in bytes[..<16] {
      let digit: UInt8
      switch byte {
      case UInt8(ascii: "0")...UInt8(ascii: "9"): digit = byte - UInt8(ascii: "0")
      case UInt8(ascii: "a")...UInt8(ascii: "f"): digit = byte - UInt8(ascii: "a") + 10
      default: return nil
      }
      journal = journal << 4 | UInt64(digit)
    }
    var sequence: Int64 = 0
    for byte in bytes[17...] {
      guard byte >= UInt8(ascii: "0"), byte <= UInt8(ascii: "9") else { return nil }
      let (product, overflow) = sequence.multipliedReportingOverflow(by: 10)
      let (sum, overflow2) = product.addingReportingOverflow(Int64(byte - UInt8(ascii: "0")))
      guard !overflow, !overflow2 else { return nil }
      sequence = sum
    }
    guard let number = RecordNumber(exactly: sequence) else { return nil }
    self.init(journal: journal, sequence: number)
  }

  public var description: String { Self.text(ofJournal: journal) + "-" + sequence.description }

  /// Returns the journal's number as in identifiers: sixteen hexadecimal digits.
  /// - Parameter journal: The number.
  public static func text(ofJournal journal: UInt64) -> String {
    let digits = String(journal, radix: 16)
    return String(repeating: "0", count: 16 - digits.count) + digits
  }
}
