public import Foundation
internal import GodwitText

/// A part of a request that is no valid record.
public struct RejectedRecord: Sendable, Hashable {
  /// Where in the request, as in `FormatError`'s place.
  public var place: String
  public var reason: String
  /// The bytes as they came, of a long one the first `RecordLimits.keptBytes`.
  public var raw: [UInt8]
  /// Bytes of it when it came.
  public var size: Int
  /// What else it takes to read it again; `nil`: it is not known, or the part is none that can be read.
  public var origin: RejectedRecordOrigin?

  /// - Parameters:
  ///   - place: where in the request, as in `FormatError`'s place.
  ///   - reason: what is wrong, and what was expected.
  ///   - raw: the bytes as they came, or the first of them.
  ///   - size: bytes of it when it came; `nil`: those of `raw`.
  public init(place: String, reason: String, raw: [UInt8], size: Int? = nil) {
    self.place = place
    self.reason = reason
    self.raw = raw.count > RecordLimits.keptBytes ? Array(raw[..<RecordLimits.keptBytes]) : raw
    self.size = size ?? raw.count
  }

  /// - Parameters:
  ///   - place: where in the request, as in `FormatError`'s place.
  ///   - reason: what is wrong, and what was expected.
  ///   - raw: the bytes as they came, or the first of them.
  ///   - size: bytes of it when it came; `nil`: those of `raw`.
  ///   - origin: what else it takes to read it again.
  package init(place: String, reason: String, raw: [UInt8], size: Int? = nil, origin: RejectedRecordOrigin?) {
    self.init(place: place, reason: reason, raw: raw, size: size)
    self.origin = origin
  }
}

/// A refused part as the store has it.
public struct StoredRejectedRecord: Sendable {
  /// The store's number.
  public var id: Int64
  public var device: Device
  public var received: Date
  public var refused: RejectedRecord
  /// Bytes of it when it came; of a long one the first 65,536 are kept.
  public var size: Int
  /// How often it was tried again.
  public var attempts: Int
  /// When it was last tried again.
  public var tried: Date?
  /// When its records were stored.
  public var solved: Date?

  /// Whether only its beginning is kept.
  public var isCut: Bool { size > refused.raw.count }
}
