package import GodwitText

/// The limits of a document with regions. A document that exceeds a limit is rejected as a whole, with the limit in the
/// reason.
public struct RegionFileLimits: Sendable, Hashable {
  /// Maximum size of a document in bytes.
  public var bytes: Int
  /// Maximum number of regions in a document.
  public var count: Int

  /// - Parameters:
  ///   - bytes: the maximum size of a document in bytes; 32 MiB by default.
  ///   - count: the maximum number of regions in a document; 1,000,000 by default.
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
