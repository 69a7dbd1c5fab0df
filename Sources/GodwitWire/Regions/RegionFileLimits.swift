package import GodwitText

/// How much of regions is read at once. What is more is refused whole, with the limit in the reason.
public struct RegionFileLimits: Sendable, Hashable {
  /// Bytes of a document.
  public var bytes: Int
  /// Regions in a document.
  public var count: Int

  /// - Parameters:
  ///   - bytes: of a document, 32 MiB unless reported otherwise.
  ///   - count: regions in a document, 1,000,000 unless reported otherwise.
  public init(bytes: Int = 32 << 20, count: Int = 1_000_000) {
    self.bytes = bytes
    self.count = count
  }

  package func check(_ bytes: [UInt8], format: String) throws(FormatError) {
    guard bytes.count > self.bytes else { return }
    throw FormatError(
      format: format, place: FormatError.Place(byte: self.bytes),
      reason: "there are \(bytes.count) bytes; at most \(self.bytes) are read at once; send it in parts")
  }
}
