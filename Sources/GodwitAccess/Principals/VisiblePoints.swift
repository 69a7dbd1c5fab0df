package import Foundation
internal import GodwitAccounts
internal import GodwitModel
package import GodwitStore

/// Reads the points that a principal may see: all points of own devices, and those that friends share.
package struct VisiblePoints: Sendable {
  private let principal: Principal
  private let database: any StoreDatabase
  private var store: any TrackStore { database }

  package init(_ principal: Principal, _ store: any StoreDatabase) {
    self.principal = principal
    database = store
  }

  /// Returns points in the order and pages of ``TrackStore/points(_:)``.
  package func points(_ query: PointQuery) throws -> [StoredPoint] {
    guard let accessLevels = principal.accessLevels else { return try store.points(query) }
    let hidden = try HiddenPlaces(of: accessLevels.filter { $0.value != .everything }.keys.sorted(), in: database)
    var found: [StoredPoint] = []
    for device in query.device.map({ [$0] }) ?? accessLevels.keys.sorted() {
      guard let accessLevel = accessLevels[device], device >= query.after?.device.value ?? .min, found.count < query.limit else {
        continue
      }
      var part = query
      part.device = device
      part.limit = query.limit - found.count
      switch accessLevel {
      case .everything: found += try store.points(part)
      case .since(let date):
        part.from = max(part.from ?? date, date)
        found += try shown(part, hidden)
      case .latest:
        if let point = try newest(device, accessLevel, hidden), Self.matches(point, part) { found.append(point) }
      }
    }
    return found
  }

  /// Returns a page of a friend's points. Points in private zones are omitted or coarsened; further points are read until
  /// the page is full.
  private func shown(_ query: PointQuery, _ hidden: HiddenPlaces) throws -> [StoredPoint] {
    let found = try Self.filled(query.limit) { (last: StoredPoint?, limit: Int) -> [StoredPoint] in
      var page = query
      if let last { page.after = last.cursor }
      page.limit = limit
      return try store.points(page)
    } show: {
      hidden.shown($0)
    }
    return found.map(\.positionOnly)
  }

  /// Minimum elements of a page after the first, so that a small limit does not cause a query for each hidden point.
  private static let pageSize = 1000

  /// Reads pages until enough elements are shown, or none are left.
  /// - Parameters:
  ///   - wanted: the maximum number of shown elements.
  ///   - read: reads a page of at most `limit` elements after another one; a shorter page is the last.
  ///   - show: returns the form in which an element is shown; `nil`: it is hidden.
  static func filled<Element>(
    _ wanted: Int, read: (_ after: Element?, _ limit: Int) throws -> [Element], show: (Element) -> Element?
  ) rethrows -> [Element] {
    var found: [Element] = []
    var last: Element?
    var limit = wanted
    while true {
      let page = try read(last, limit)
      found += page.compactMap(show)
      guard found.count < wanted, page.count == limit, let end = page.last else { break }
      last = end
      limit = max(wanted, pageSize)
    }
    return Array(found.prefix(wanted))
  }

  /// Returns the newest point of a device; `nil` if it may not be seen.
  package func newest(_ device: Int64, _ accessLevel: AccessLevel) throws -> StoredPoint? {
    try newest(device, accessLevel, HiddenPlaces(of: accessLevel == .everything ? [] : [device], in: database))
  }

  private func newest(_ device: Int64, _ accessLevel: AccessLevel, _ hidden: HiddenPlaces) throws -> StoredPoint? {
    guard let point = try store.newest(device: device) else { return nil }
    return Self.seen(point, accessLevel, hidden)
  }

  /// Returns the visible data of a device that does not belong to the principal.
  package func shared(_ summary: DeviceSummary, _ accessLevel: AccessLevel) throws -> SharedDevice {
    let hidden = try HiddenPlaces(of: [summary.device.id], in: database)
    let last = summary.last.flatMap { Self.seen($0, accessLevel, hidden) }
    guard case .since(let date) = accessLevel else { return SharedDevice(visibility: .latest, first: last?.fix.time, last: last) }
    return SharedDevice(visibility: .since, first: last == nil ? nil : summary.first.map { max($0, date) }, last: last)
  }

  /// Returns the journals of devices of which all data may be read.
  package func journals(device: Int64?) throws -> [JournalSummary] {
    guard device == nil, let own = principal.ownDevices else { return try store.journals(device: device) }
    return try own.flatMap { try store.journals(device: $0) }
  }

  /// Returns the number of missing records by device.
  package func missingRecords() throws -> [Int64: Int] { try journals(device: nil).missingByDevice() }

  private static func seen(_ point: StoredPoint, _ accessLevel: AccessLevel, _ hidden: HiddenPlaces) -> StoredPoint? {
    switch accessLevel {
    case .everything: point
    case .since(let date): point.fix.time >= date ? hidden.shown(point)?.positionOnly : nil
    case .latest: hidden.shown(point)?.positionOnly
    }
  }

  private static func matches(_ point: StoredPoint, _ query: PointQuery) -> Bool {
    if let from = query.from, point.fix.time < from { return false }
    if let to = query.to, point.fix.time >= to { return false }
    if let box = query.box {
      let place = point.fix.coordinate
      let isBetween =
        box.west <= box.east
        ? (box.west...box.east).contains(place.longitude) : place.longitude >= box.west || place.longitude <= box.east
      guard isBetween, (box.south...box.north).contains(place.latitude) else { return false }
    }
    guard let after = query.after, after.device == point.cursor.device else { return true }
    let (a, b) = (point.cursor, after)
    return (a.time, a.latitude, a.longitude) > (b.time, b.latitude, b.longitude)
  }
}

extension StoredPoint {
  /// The point with time, position and accuracy only. Altitude, speed, and data of the device such as wifi, battery and
  /// names are removed.
  package var positionOnly: StoredPoint {
    let fix = Fix(time: fix.time, coordinate: fix.coordinate, horizontalAccuracy: fix.horizontalAccuracy)
    return StoredPoint(device: device, fix: fix, record: Record(kind: .fix(fix)), cursor: cursor)
  }
}

/// The visible data of another user's device.
package struct SharedDevice: Sendable {
  /// The access.
  package enum Visibility: String, Sendable, Codable, CaseIterable { case all, since, latest }

  package let visibility: Visibility
  /// The time of the first visible point.
  package let first: Date?
  package let last: StoredPoint?
}
