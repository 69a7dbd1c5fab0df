internal import GodwitModel

internal import struct Foundation.Date

/// What the system was asked to monitor, and what it would not.
struct SystemRegions: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case monitored
    case rejections = "refusals"
  }

  private struct MonitoringFailure: Sendable, Hashable, Codable {
    /// When it is tried again; `nil`: it is being tried.
    var until: Date?
    var count: Int
  }

  /// Seconds after which a region that the system refused is tried again.
  private static let backoff = ExponentialBackoff(first: 300, maximum: 21_600)

  /// By identifier.
  private(set) var monitored: [String: MonitoredRegion] = [:]
  /// What the system would not monitor, by identifier.
  private var rejections: [String: MonitoringFailure] = [:]

  func monitors(_ identifier: String) -> Bool { monitored[identifier] != nil }

  /// Whether the system would not monitor it, and it is to be tried again later.
  func isHeldBack(_ identifier: String) -> Bool { rejections[identifier]?.until != nil }

  /// Identifiers of what is to be tried again later.
  var heldBack: [String] { rejections.filter { $0.value.until != nil }.map(\.key) }

  /// The program was launched, and the system monitors these of ours. What is of no use any more is stopped.
  mutating func relaunch(_ identifiers: [String], _ turn: inout Turn) {
    let known = monitored
    monitored = [:]
    for identifier in Set(identifiers).sorted() {
      guard RegionIdentifier(identifier) != nil else { continue }
      if let region = Self.region(identifier, known, turn.catalogue) {
        monitored[identifier] = region
      } else {
        turn.effects.append(.stopMonitoring(identifier))
      }
    }
  }

  /// What an identifier stands for, where that is still so.
  private static func region(
    _ identifier: String, _ known: [String: MonitoredRegion], _ catalogue: RegionCatalogue
  ) -> MonitoredRegion? {
    switch RegionIdentifier(identifier) {
    case .horizon: known[identifier]
    case .beacons(let uuid): catalogue.group(uuid) == nil ? nil : MonitoredRegion(uuid)
    case .geofence: geofence(identifier, catalogue)
    case nil: nil
    }
  }

  /// The geofence that an identifier stands for, where that is still so.
  static func geofence(_ identifier: String, _ catalogue: RegionCatalogue) -> MonitoredRegion? {
    guard case .geofence(let id, _) = RegionIdentifier(identifier), let number = catalogue.geofenceNumber(id) else { return nil }
    let region = MonitoredRegion(geofence: id, circle: catalogue.circle(of: number))
    return region.identifier == identifier ? region : nil
  }

  mutating func stop(_ identifier: String, _ turn: inout Turn) {
    monitored[identifier] = nil
    turn.effects.append(.stopMonitoring(identifier))
  }

  mutating func start(_ region: MonitoredRegion, _ turn: inout Turn) {
    monitored[region.identifier] = region
    turn.effects.append(.startMonitoring(region))
  }

  // MARK: What the system would not monitor

  /// - Returns: whether it was one of ours.
  mutating func refuse(_ identifier: String, at now: Date) -> Bool {
    guard RegionIdentifier(identifier) != nil, monitored.removeValue(forKey: identifier) != nil else { return false }
    let count = (rejections[identifier]?.count ?? 0) + 1
    rejections[identifier] = MonitoringFailure(until: now.addingTimeInterval(Self.backoff.pause(after: count)), count: count)
    return true
  }

  /// The system says something of it: it monitors it.
  mutating func accept(_ identifier: String) { rejections[identifier] = nil }

  /// What has waited for long enough is tried again.
  mutating func retry(_ turn: inout Turn) {
    for (identifier, rejection) in rejections {
      guard let until = rejection.until, until <= turn.time else { continue }
      rejections[identifier]?.until = nil
      turn.requestPlan()
    }
  }

  mutating func discardBackoffs() { rejections = [:] }

  /// When something is tried again.
  var nextTime: Date? { rejections.values.reduce(nil) { .earlier($0, $1.until) } }
}
