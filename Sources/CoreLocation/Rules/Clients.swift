internal import Foundation
internal import GodwitModel
internal import GodwitReceivers

/// The managers, streams and sessions of the app, in the order of their creation. They are few, and all of them are visited at
/// every position, so two arrays are faster than a dictionary.
struct Clients: Sendable {
  typealias ClientID = LocationServices.ClientID
  typealias Output = LocationServices.Output

  private(set) var ids: [ClientID] = []
  private var values: [Client] = []
  /// Whether motion is computed from the positions for the app.
  var watchesMotion = false
  /// The time of the newest position that was delivered to a stream that has ended.
  private(set) var lastStreamed: Date?

  subscript(id: ClientID) -> Client? {
    get { ids.firstIndex(of: id).map { values[$0] } }
    set {
      switch (ids.firstIndex(of: id), newValue) {
      case (let index?, let client?): values[index] = client
      case (let index?, nil):
        if values[index].role == .liveUpdates, let time = values[index].lastDeliveredTime {
          lastStreamed = max(lastStreamed ?? time, time)
        }
        ids.remove(at: index)
        values.remove(at: index)
      case (nil, let client?):
        let index = ids.firstIndex { id < $0 } ?? ids.endIndex
        ids.insert(id, at: index)
        values.insert(client, at: index)
      case (nil, nil): break
      }
    }
  }

  /// Removes all clients when the app has ended.
  mutating func removeAll() { self = Clients() }

  // MARK: Combined requests

  var watchesSignificantChanges: Bool { values.contains(where: \.watchesSignificantChanges) }
  var watchesHeadings: Bool { values.contains(where: \.watchesHeadings) }
  var watchesVisits: Bool { values.contains(where: \.watchesVisits) }
  var isRanging: Bool { values.contains { !$0.ranging.isEmpty } }
  var hasBackgroundActivity: Bool { values.contains { $0.role == .backgroundActivity } }
  var hasServiceSession: Bool { values.contains { $0.role == .serviceSession } }

  /// Whether any client receives continuous updates.
  func isReceiving(_ conditions: UpdateConditions) -> Bool { values.contains { $0.receives(conditions) } }

  /// Whether the updates of any client keep the app running in the background.
  func isKeptRunning(_ conditions: UpdateConditions, _ profile: OSProfile) -> Bool {
    values.contains { $0.keepsRunning(conditions, profile) }
  }

  /// Whether a session keeps the app in use for live updates.
  func isFollowed(_ conditions: UpdateConditions) -> Bool {
    conditions.hasBackgroundActivity && values.contains { $0.role == .liveUpdates && $0.mayReceive(conditions) }
  }

  /// Returns the best accuracy that the app currently requests; `nil`: it requests no positions.
  func wanted(_ conditions: UpdateConditions, isReduced: Bool) -> CLLocationAccuracy? {
    guard conditions.isGranted else { return nil }
    var best = values.compactMap { $0.wanted(conditions) }.min()
    // For an approximate position the accuracy of cells and networks is sufficient.
    if isReduced { best = best.map { max($0, kCLLocationAccuracyThreeKilometers) } }
    // Motion is computed from positions of any accuracy, but positions must arrive.
    guard watchesMotion, conditions.isRunning else { return best }
    return min(best ?? .infinity, kCLLocationAccuracyThreeKilometers)
  }

  // MARK: Reports

  /// Returns the outputs for an event that is monitored for the app.
  func outputs(_ event: AppLife.Event, _ conditions: UpdateConditions) -> [Output] {
    let watchesVisits = watchesVisits
    return values.flatMap { $0.outputs(event, conditions, watchesVisits: watchesVisits) }
  }

  /// Returns the client that receives an error of a region: its requester, or otherwise the first client of the same role.
  func addressee(of region: Regions.Region, owner: ClientID?) -> ClientID? {
    if let owner, self[owner] != nil { return owner }
    return values.first { $0.role.takes(region) }?.id
  }

  /// Returns all clients that receive the region's events.
  func addressees(of region: Regions.Region) -> [ClientID] { values.filter { $0.role.takes(region) }.map(\.id) }

  var managers: [ClientID] { values.filter { $0.role == .manager }.map(\.id) }

  /// Returns the outputs of a report of ranging.
  func ranged(_ beacons: Beacons, at now: Date) -> [Output] {
    values.flatMap { client in client.ranging.map { .ranged(client.id, $0, beacons.ranged($0, at: now)) } }
  }

  /// Reports that no beacon can currently be received.
  func failRanging(_ reason: String) -> [Output] {
    values.flatMap { client in
      client.ranging.map { .rangingFailed(client.id, $0, CLError(.rangingUnavailable, reason: reason)) }
    }
  }

  mutating func handle(_ reading: CompassReading, _ conditions: UpdateConditions) -> [Output] {
    collect { $0.handle(reading, conditions) }
  }

  /// Responds to requests for one position.
  mutating func respond(with fix: Fix, _ conditions: UpdateConditions) -> [Output] {
    collect { $0.respond(with: fix, conditions) }
  }
  mutating func useLimits(_ conditions: UpdateConditions) -> [Output] { collect { $0.useLimits(conditions) } }
  mutating func expire(at now: Date) -> [Output] { collect { $0.expire(at: now) } }
  mutating func pauseUpdates(_ conditions: UpdateConditions) -> [Output] { collect { $0.pauseUpdates(conditions) } }
  mutating func comeToFront() -> [Output] { collect { $0.comeToFront() } }
  mutating func fail(_ reason: String) -> [Output] { collect { $0.fail(reason) } }
  mutating func flush() -> [Output] { values.indices.flatMap { values[$0].flush() } }
  mutating func revoke() -> [Output] { values.indices.flatMap { values[$0].revoke() } }
  mutating func discardWaiting() { for index in values.indices { values[index].discardWaiting() } }
  mutating func move(by seconds: Double) { for index in values.indices { values[index].move(by: seconds) } }

  private mutating func collect(_ change: (inout Client) -> Output?) -> [Output] {
    values.indices.compactMap { change(&values[$0]) }
  }

  /// The time at which the first request times out; `nil`: none.
  var nextTime: Date? { values.reduce(nil) { .earlier($0, $1.nextTime) } }
}
