internal import Foundation
internal import GodwitLocks
internal import GodwitModel

/// A recorded position of this phone.
struct TrackPoint: Sendable, Hashable {
  var time: Date
  var coordinate: Coordinate
  /// Metres; `nil`: unknown.
  var accuracy: Double?
}

/// The recorded positions of the last two days, for the map and for "where was I". The journal has only unsent records.
///
/// Positions close to the last one in place and time are omitted. They are written to a file every few minutes and at the end of a tracker.
/// If the app is terminated before, the map loses the unwritten positions; records are not affected.
final class TrackLog: Sendable {
  static let file = "track"
  /// Seconds for which positions are kept.
  static let length = 2 * 86_400.0
  /// Two days with a position every nine seconds.
  static let maximumCount = 20_000
  private static let minimumDistance = 10.0
  private static let maximumDistance = 300.0
  private static let minimumDetour = 500.0
  static let minimumTime = 300.0
  private static let saveInterval = 300.0
  /// Maximum seconds by which the time of a position may be ahead of the clock.
  private static let maximumAhead = 86_400.0

  private struct State {
    var points: [TrackPoint] = []
    var isLoaded = false
    var savedAt: Date?
    var isChanged = false
    var revision = 0
  }

  private let files: AppFiles
  private let now: @Sendable () -> Date
  private let state = Mutex(State())

  init(_ files: AppFiles, now: @escaping @Sendable () -> Date) { (self.files, self.now) = (files, now) }

  /// Oldest first.
  var points: [TrackPoint] { state.withLock { $0.points } }

  /// A number that changes with the positions.
  var revision: Int { state.withLock { $0.revision } }

  /// The positions without single outliers: positions far from both neighbours, which are close to each other. An example is a wifi router
  /// that was moved to another place.
  var plausiblePoints: [TrackPoint] {
    let points = points
    return points.indices.filter { index in
      guard index > 0, index < points.count - 1 else { return true }
      let (before, place, after) = (points[index - 1].coordinate, points[index].coordinate, points[index + 1].coordinate)
      let detour = min(GreatCircle.distance(before, place), GreatCircle.distance(place, after))
      return detour < Self.minimumDetour || GreatCircle.distance(before, after) > detour / 5
    }.map { points[$0] }
  }

  /// Reads the positions that earlier launches stored, once.
  func load() {
    state.withLock { state in
      guard !state.isLoaded, let bytes = try? files.read(Self.file) else { return }
      state.isLoaded = true
      state.points = Self.points(of: bytes) + state.points
      state.revision += 1
    }
  }

  func add(_ records: [Record]) {
    for record in records { if case .fix(let fix) = record.kind { add(fix) } }
  }

  private func add(_ fix: Fix) {
    let limit = now().addingTimeInterval(Self.maximumAhead)
    // Rejects a wrong date in the future, because all later positions would seem older.
    guard fix.time <= limit else { return }
    state.withLock { state in
      var (place, accuracy) = (fix.coordinate, fix.horizontalAccuracy)
      while let last = state.points.last, last.time > limit { state.points.removeLast() }
      if let last = state.points.last {
        let seconds = fix.time.timeIntervalSince(last.time)
        guard seconds > 0 else { return }
        if GreatCircle.distance(last.coordinate, fix.coordinate) < Self.radius(accuracy: fix.horizontalAccuracy) {
          guard seconds >= Self.minimumTime else { return }
          // Keeps the place, so that position errors of a device at rest are not drawn.
          (place, accuracy) = (last.coordinate, last.accuracy)
        }
      }
      state.points.append(TrackPoint(time: fix.time, coordinate: place, accuracy: accuracy))
      state.isChanged = true
      state.revision += 1
      let first = state.points.firstIndex { fix.time.timeIntervalSince($0.time) <= Self.length } ?? 0
      let excess = max(first, state.points.count - Self.maximumCount)
      // In large steps, because each removal moves all other positions.
      if excess > 1000 { state.points.removeFirst(excess) }
      let isSaved = state.savedAt.map { (0..<Self.saveInterval).contains(fix.time.timeIntervalSince($0)) } ?? false
      if !isSaved { save(&state, at: fix.time) }
    }
  }

  /// The radius in metres within which a fix is not a movement: 95 % of the errors are smaller than twice the radius of uncertainty.
  static func radius(accuracy: Double?) -> Double {
    min(max(minimumDistance, 2 * (accuracy ?? 0)), maximumDistance)
  }

  /// Writes unwritten positions to the file.
  func save() { state.withLock { state in if let last = state.points.last { save(&state, at: last.time) } } }

  private func save(_ state: inout State, at time: Date) {
    guard state.isChanged, (try? files.write(Self.file, Self.bytes(of: state.points))) != nil else { return }
    (state.isChanged, state.savedAt) = (false, time)
  }

  /// Deletes all positions.
  /// - Throws: an error of the file system if the file cannot be removed.
  func removeAll() throws {
    try state.withLock { state in
      state.points = []
      state.revision += 1
      state.isChanged = false
      try files.write(Self.file, nil)
    }
  }

  // MARK: The file

  // Milliseconds since 1970 (8 bytes), latitude and longitude in 10⁻⁶ degrees, accuracy in metres or −1 (4 bytes each).
  private static let size = 20

  static func bytes(of points: [TrackPoint]) -> Data {
    var bytes = Data(capacity: points.count * size)
    func append(_ number: some FixedWidthInteger) { withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) } }
    for point in points {
      append(Int64(clamping(point.time.timeIntervalSince1970 * 1000, 1e15)))
      append(Int32(clamping(point.coordinate.latitude * 1e6, 2e9)))
      append(Int32(clamping(point.coordinate.longitude * 1e6, 2e9)))
      append(Int32(clamping(point.accuracy ?? -1, 2e9)))
    }
    return bytes
  }

  /// Decodes points. Damaged points are omitted.
  static func points(of bytes: Data) -> [TrackPoint] {
    let bytes = [UInt8](bytes)
    func number<Number: FixedWidthInteger>(_ type: Number.Type, _ start: Int) -> Number {
      bytes[start..<start + MemoryLayout<Number>.size].reversed().reduce(0) { $0 << 8 | Number(truncatingIfNeeded: $1) }
    }
    return stride(from: 0, to: bytes.count - bytes.count % size, by: size).compactMap { start in
      let milliseconds = Double(number(Int64.self, start))
      let accuracy = Double(number(Int32.self, start + 16))
      guard
        let coordinate = Coordinate(
          latitude: Double(number(Int32.self, start + 8)) / 1e6, longitude: Double(number(Int32.self, start + 12)) / 1e6)
      else { return nil }
      return TrackPoint(
        time: Date(timeIntervalSince1970: milliseconds / 1000), coordinate: coordinate, accuracy: accuracy < 0 ? nil : accuracy)
    }
  }

  private static func clamping(_ value: Double, _ limit: Double) -> Double {
    value.isFinite ? min(max(value, -limit), limit).rounded() : 0
  }
}
