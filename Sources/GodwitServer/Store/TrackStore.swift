public import Foundation
public import GodwitModel
internal import GodwitText

/// Where the server keeps what devices tell it. Two implementations obey this contract: the embedded one
/// (SQLite) and the one for many machines (PostgreSQL).
///
/// - Writing: ``submit(_:)`` takes a request's records and calls back when they are durable. Records that
///   the store has already are ignored and counted as duplicates: the same device, kind, moment and place.
/// - Reading: any thread; a reader sees what was durable when it began.
public protocol TrackStore: Sendable {
  /// Stores a request's records. The completion is called once, from the store's thread, after the commit or
  /// the failure. A full queue refuses at once with ``StoreError/busy``.
  func submit(_ submission: Submission)

  /// The devices, by name.
  func devices() throws -> [DeviceSummary]
  /// A device by its name.
  func device(named name: String) throws -> Device?
  /// The device whose token has this hash and was not revoked.
  func device(tokenHash: [UInt8]) throws -> Device?
  /// Makes a device, or takes the one of that name, and gives it one more token.
  func addDevice(named name: String, tokenHash: [UInt8], at now: Date) throws -> Device
  /// Makes all tokens of a device worthless. - Returns: how many there were; `nil` when there is no such device.
  func revokeTokens(ofDeviceNamed name: String, at now: Date) throws -> Int?

  /// Fixes in the order of their times.
  func points(_ query: PointQuery) throws -> [StoredPoint]
  /// The newest fix of a device that is believed: neither flagged nor waiting for confirmation. `nil` when there is none.
  func newest(device: Int64) throws -> StoredPoint?
  /// Visits, trips and actions of one device in the order of their times.
  func events(device: Int64, from: Date?, to: Date?) throws -> [Record]
  /// What was refused, the newest first.
  func refusals(device: Int64?, limit: Int) throws -> [StoredRefusal]
  /// What the devices' journals have told, by device and journal; of one device or of all.
  func journals(device: Int64?) throws -> [JournalSummary]

  /// Stores what waits and closes the store.
  func close()
}

extension TrackStore {
  public func newest(device: Int64) throws -> StoredPoint? { try devices().first { $0.device.id == device }?.last }
}

/// One request's worth of work for the store.
public struct Submission: Sendable {
  public var device: Device
  public var records: [Record]
  /// What of the request was no valid record, kept as it came.
  public var refusals: [Refused]
  /// Which of its journal's numbers the device says that this covers, if it says so.
  public var range: SequenceRange?
  /// When the request arrived.
  public var received: Date
  /// The refused part that is read again; then ``refusals`` say why it is no record still, and are no new ones.
  package var retrying: RetriedRefusal?
  public var completion: @Sendable (Result<SubmissionResult, any Error>) -> Void
  /// It is an old file's, and nothing that happens now: nobody is told of it, the device was not heard of, and regions are not
  /// looked at.
  package var isHistory = false
  /// The import that brings it.
  package var importID: Int64?
  /// What else is written in its transaction. It may run twice, where the transaction is begun anew; only what it did last holds.
  package var alongside: (@Sendable (SubmissionResult, any SQLConnection) throws -> Void)?

  /// What of it takes memory until it is stored.
  var size: Int { records.count + refusals.count }

  public init(
    device: Device, records: [Record], refusals: [Refused] = [], range: SequenceRange? = nil, received: Date,
    completion: @escaping @Sendable (Result<SubmissionResult, any Error>) -> Void
  ) {
    self.device = device
    self.records = records
    self.refusals = refusals
    self.range = range
    self.received = received
    self.completion = completion
  }
}

/// A refused part that is read again.
package struct RetriedRefusal: Sendable, Hashable {
  /// The store's number of it.
  package var refusal: Int64
  /// When it is tried.
  package var time: Date
}

/// What became of a submission.
public struct SubmissionResult: Sendable, Hashable {
  /// Records that are new.
  public var saved = 0
  /// Records that the store had already.
  public var duplicates = 0
  /// Points among the records that are new.
  package var savedPoints = 0
  /// Positions of the records that the store had already, in their order.
  package var known: [Int] = []
  /// What participants of the transaction added.
  package var byProducts = ByProducts()
  /// Positions of the fixes that are not live, in their order: they are flagged as impossible, or wait for confirmation.
  package var withheld: [Int] = []
  /// Fixes of earlier uploads that waited until this one confirmed them.
  package var confirmed: [Record] = []
  public init(saved: Int = 0, duplicates: Int = 0) {
    self.saved = saved
    self.duplicates = duplicates
  }
}

/// A part of a request that is no valid record.
public struct Refused: Sendable, Hashable {
  /// Where in the request, as in `FormatError`'s place.
  public var place: String
  public var reason: String
  /// The bytes as they came, of a long one the first `RecordLimits.keptBytes`.
  public var raw: [UInt8]
  /// Bytes of it when it came.
  public var size: Int
  /// What else it takes to read it again; `nil`: it is not known, or the part is none that can be read.
  public var origin: RefusalOrigin?

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
  package init(place: String, reason: String, raw: [UInt8], size: Int? = nil, origin: RefusalOrigin?) {
    self.init(place: place, reason: reason, raw: raw, size: size)
    self.origin = origin
  }
}

/// A refused part as the store has it.
public struct StoredRefusal: Sendable {
  /// The store's number.
  public var id: Int64
  public var device: Device
  public var received: Date
  public var refused: Refused
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

/// A device with what the store has of it.
public struct DeviceSummary: Sendable {
  public var device: Device
  public var points: Int
  public var first: Date?
  /// The newest point that is believed, which is not always the last that came.
  public var last: StoredPoint?
  /// When the device last sent anything.
  public var lastContact: Date?
  /// Refused parts that are not solved.
  public var refused: Int
  public var tokens: Int
}

/// A fix with its context.
public struct StoredPoint: Sendable {
  public var device: Device
  public var fix: Fix
  public var record: Record
  /// Where the next page begins.
  public var cursor: PointCursor
}

/// Which points to read.
public struct PointQuery: Sendable {
  /// `nil`: of all devices, one after the other.
  public var device: Int64?
  /// Inclusive.
  public var from: Date?
  /// Exclusive.
  public var to: Date?
  public var box: BoundingBox?
  /// Only what comes after it.
  public var after: PointCursor?
  /// Without the points that are marked as impossible.
  package var leavesOutMarked = false
  public var limit: Int
  public init(
    device: Int64? = nil, from: Date? = nil, to: Date? = nil, box: BoundingBox? = nil, after: PointCursor? = nil,
    limit: Int
  ) {
    self.device = device
    self.from = from
    self.to = to
    self.box = box
    self.after = after
    self.limit = limit
  }
}

/// A part of the world between two meridians and two parallels. `west > east` spans the antimeridian.
public struct BoundingBox: Sendable, Hashable, Codable {
  public var west: Degrees
  public var south: Degrees
  public var east: Degrees
  public var north: Degrees
  public init(west: Degrees, south: Degrees, east: Degrees, north: Degrees) {
    self.west = west
    self.south = south
    self.east = east
    self.north = north
  }
}

/// The key of a point: what pages are cut by.
public struct PointCursor: Sendable, Hashable, LosslessStringConvertible {
  public var device: RowNumber
  public var time: EpochMilliseconds
  public var latitude: DegreesE7
  public var longitude: DegreesE7

  public init(device: RowNumber, time: EpochMilliseconds, latitude: DegreesE7, longitude: DegreesE7) {
    self.device = device
    self.time = time
    self.latitude = latitude
    self.longitude = longitude
  }

  public init?(_ description: String) {
    let parts = description.split(separator: "_", omittingEmptySubsequences: false)
    guard parts.count == 4, let device = RowNumber(parts[0]), let time = EpochMilliseconds(parts[1]),
      let latitude = DegreesE7(parts[2]), let longitude = DegreesE7(parts[3])
    else { return nil }
    self.init(device: device, time: time, latitude: latitude, longitude: longitude)
  }

  public var description: String { "\(device)_\(time)_\(latitude)_\(longitude)" }
}

/// Why the store did not do it.
public enum StoreError: Error, Sendable, CustomStringConvertible {
  /// More is waiting than fits; nothing was stored.
  case busy
  /// The store has been closed.
  case closed

  public var description: String {
    switch self {
    case .busy: "More requests are waiting than fit. Try again in a moment."
    case .closed: "The server is stopping. Try again in a moment."
    }
  }
}
