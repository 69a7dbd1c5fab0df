public import Foundation
internal import GodwitText

/// A part of a request that is not a valid record.
public struct RejectedRecord: Sendable, Hashable {
  /// Where the part is in the request, as in `FormatError`'s place.
  public var place: String
  public var reason: String
  /// The received bytes, at most the first `RecordLimits.keptBytes`.
  public var raw: [UInt8]
  /// The original number of bytes.
  public var size: Int
  /// What is needed to decode the part again; `nil` if it is unknown or the part cannot be decoded separately.
  public var origin: RejectedRecordOrigin?

  /// - Parameters:
  ///   - place: where the part is in the request, as in `FormatError`'s place.
  ///   - reason: the fault, and what was expected.
  ///   - raw: the received bytes, or their beginning.
  ///   - size: the original number of bytes; `nil`: the number of bytes of `raw`.
  public init(place: String, reason: String, raw: [UInt8], size: Int? = nil) {
    self.place = place
    self.reason = reason
    self.raw = raw.count > RecordLimits.keptBytes ? Array(raw[..<RecordLimits.keptBytes]) : raw
    self.size = size ?? raw.count
  }

  /// - Parameters:
  ///   - place: where the part is in the request, as in `FormatError`'s place.
  ///   - reason: the fault, and what was expected.
  ///   - raw: the received bytes, or their beginning.
  ///   - size: the original number of bytes; `nil`: the number of bytes of `raw`.
  ///   - origin: what is needed to decode the part again.
  package init(place: String, reason: String, raw: [UInt8], size: Int? = nil, origin: RejectedRecordOrigin?) {
    self.init(place: place, reason: reason, raw: raw, size: size)
    self.origin = origin
  }
}

/// A stored rejected record.
public struct StoredRejectedRecord: Sendable {
  /// The number in the store.
  public var id: Int64
  public var device: Device
  public var received: Date
  public var rejected: RejectedRecord
  /// The original number of bytes; at most the first 65,536 are stored.
  public var size: Int
  /// Number of retries.
  public var attempts: Int
  /// Time of the last retry.
  public var tried: Date?
  /// When the records of a retry were stored; `nil` if the record is still rejected.
  public var solved: Date?

  /// Whether only the beginning of the bytes is stored.
  public var isCut: Bool { size > rejected.raw.count }
}
