internal import GodwitModel

internal import struct Foundation.Date

/// The regions that the system was requested to monitor, and those that it did not accept.
struct SystemRegions: Sendable, Hashable, Codable {
  private enum CodingKeys: String, CodingKey {
    case monitored
    case rejections = "refusals"
  }

  private struct MonitoringFailure: Sendable, Hashable, Codable {
    /// The time of the next attempt; `nil`: an attempt is in progress.
    var until: Date?
    var count: Int
  }

  /// The pauses, in seconds, before a region that the system did not accept is tried again.
  private static let backoff = ExponentialBackoff(first: 300, maximum: 21_600)

  /// The monitored regions, by identifier.
  private(set) var monitored: [String: MonitoredRegion] = [:]
  /// The regions that the system did not accept, by identifier.
  private var rejections: [String: MonitoringFailure] = [:]

  func monitors(_ identifier: String) -> Bool { monitored[identifier] != nil }

  /// Whether the system did not accept the region, and the next attempt is later.
  func isHeldBack(_ identifier: String) -> Bool { rejections[identifier]?.until != nil }

  /// Identifiers of the regions whose next attempt is later.
  var heldBack: [String] { rejections.filter { $0.value.until != nil }.map(\.key) }

  /// Handles a launch. - Parameter identifiers: the regions that the system monitors. Outdated regions of the SDK are stopped.
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

  /// Returns the region of an identifier if it is still valid.
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

  /// Returns the geofence of an identifier if it is still valid.
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

  // MARK: Regions that the system did not accept

  /// Handles a failure of the monitoring. - Returns: whether it is a region of the SDK.
  mutating func refuse(_ identifier: String, at now: Date) -> Bool {
    guard RegionIdentifier(identifier) != nil, monitored.removeValue(forKey: identifier) != nil else { return false }
    let count = (rejections[identifier]?.count ?? 0) + 1
    rejections[identifier] = MonitoringFailure(until: now.addingTimeInterval(Self.backoff.pause(after: count)), count: count)
    return true
  }

  /// Handles a report about a region: the system monitors it.
  mutating func accept(_ identifier: String) { rejections[identifier] = nil }

  /// Starts the attempts that are due.
  mutating func retry(_ turn: inout Turn) {
    // The clock may have been set back.
    let latest = turn.time.addingTimeInterval(Self.backoff.maximum)
    for (identifier, rejection) in rejections {
      guard let until = rejection.until, until <= turn.time || until > latest else { continue }
      rejections[identifier]?.until = nil
      turn.requestPlan()
    }
  }

  mutating func discardBackoffs() { rejections = [:] }

  /// The time of the next attempt; `nil`: there is none.
  var nextTime: Date? { rejections.values.reduce(nil) { .earlier($0, $1.until) } }
}
