internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitVisits

/// `/api/v1/visits`, `/api/v1/trips` and `/api/v1/outliers`: the data that the server computes from points.
///
/// Devices of other users are never included, even shared ones, because a visit reveals more than a position.
struct TimelineAPI {
  let work: RequestWork
  /// Publishes changed flags of points to open pages.
  let eventPublisher: EventPublisher
  let localities: Localities

  func visits(_ request: ParameterRequest<ListParameters<RowOfDevice>>) async throws -> VisitPage {
    let page = try await page(request) { device, part, db in
      let finder = try PlaceFinder(device: device.id, db)
      return try CorrectedTimeline(db).visits(part.rows).map { shown in
        let visit = try Visit(shown, of: device, finder, localities, db)
        return ("\(device.id)_\(shown.visit.arrival)", visit)
      }
    }
    return VisitPage(visits: page.items, pending: page.pending, nextCursor: page.next)
  }

  func trips(_ request: ParameterRequest<ListParameters<RowOfDevice>>) async throws -> TripPage {
    let page = try await page(request) { device, part, db in
      try CorrectedTimeline(db).trips(part.rows).map { ("\(device.id)_\($0.trip.start)", Trip($0, of: device)) }
    }
    return TripPage(trips: page.items, pending: page.pending, nextCursor: page.next)
  }

  func outliers(_ request: ParameterRequest<ListParameters<PointOfDevice>>) async throws -> OutlierPage {
    let page = try await page(request) { device, part, db in
      let after = part.after.map { PointKey(time: $0[1], latitude: $0[2], longitude: $0[3]) }
      let entries = try OutlierTable.entries(ofDevice: device.id, part.times, after: after, limit: part.limit, db)
      return entries.map { entry in
        let point = entry.key
        return ("\(device.id)_\(point.time)_\(point.latitude)_\(point.longitude)", Outlier(entry, of: device))
      }
    }
    return OutlierPage(outliers: page.items, pending: page.pending, nextCursor: page.next)
  }

  func flag(_ request: BodyRequest<FlagBody>) async throws -> Flag {
    try await flag(request.body.device, request.body.key, request.body.marked ?? true, request)
  }

  func unflag(_ request: BodyRequest<PointBody>) async throws -> Flag {
    try await flag(request.body.device, request.body.key, nil, request)
  }

  /// - Parameter isMarked: whether the point is an outlier; `nil` clears the user's flag, so that the server decides again.
  private func flag<Body>(
    _ name: String, _ point: PointKey, _ isMarked: Bool?, _ request: BodyRequest<Body>
  ) async throws -> Flag {
    let (principal, now) = (request.principal, work.now)
    let device = try await work.run { try principal.device(named: name, in: work.store, wholly: true) }
    request.audit(device.name)
    let (flag, wasFlagged) = try await work.write { db in
      let wasFlagged = try PointFlags.isFlagged(point, ofDevice: device.id, db)
      guard try OutlierTable.set(isMarked, point, ofDevice: device.id, at: now, db) else {
        throw Problem(
          404, "Unknown point",
          "\(device.name) has no point of that time and place. /api/v1/points?marked=true lists the existing ones.")
      }
      let flag = Flag(
        device: device.name, time: Date(millisecondsSince1970: point.time), marked: isMarked, isManual: isMarked != nil)
      return (flag, wasFlagged)
    }
    // Flags that the server sets are published after the timeline was computed. A removed flag of the user is none of them.
    if isMarked != nil || wasFlagged {
      let isFlagged = isMarked == true
      eventPublisher.publish(
        FlagChange(flagged: isFlagged ? [point] : [], unflagged: isFlagged ? [] : [point]), ofDevice: device.id)
    }
    return flag
  }

  // MARK: Pages

  /// The part of a page that is read from one device.
  struct Part {
    let device: Int64
    let times: Range<Int64>
    /// The numbers of the cursor, if the page begins within this device.
    let after: [Int64]?
    let limit: Int

    var rows: TimelineRows.Query { TimelineRows.Query(device: device, times: times, after: after?[1], limit: limit) }
  }

  /// Reads a page.
  /// - Parameter read: returns the items of one device with their cursors, at most as many as the limit of the part.
  private func page<Item: Sendable, Size>(
    _ request: ParameterRequest<ListParameters<Size>>,
    _ read: @escaping @Sendable (Device, Part, any SQLConnection) throws -> [(cursor: String, item: Item)]
  ) async throws -> (items: [Item], pending: Int, next: NextCursor) {
    let (principal, parameters) = (request.principal, request.parameters)
    let times = try parameters.times.milliseconds(in: TimeRange.all)
    let (limit, cursor) = (parameters.limit.count, parameters.cursor?.place)
    return try await work.run {
      let one = try parameters.device.map { try principal.device(named: $0.name, in: work.store, wholly: true) }
      return try work.store.read { db in
        let devices = try one.map { [$0] } ?? Self.devices(of: principal, db)
        var found: [(cursor: String, item: Item)] = []
        // One item more than the page size is read, to detect a next page.
        for device in devices where device.id >= cursor?.device ?? .min && found.count <= limit {
          let after = cursor.flatMap { $0.device == device.id ? $0.numbers : nil }
          found += try read(device, Part(device: device.id, times: times, after: after, limit: limit + 1 - found.count), db)
        }
        let rows = TimelineRows(db)
        let pending = try devices.reduce(0) { try $0 + rows.pending(device: $1.id, before: times.upperBound) }
        let page = found.prefix(limit)
        return (page.map(\.item), pending, NextCursor(found.count > limit ? page.last?.cursor : nil))
      }
    }
  }

  /// Returns all devices whose data the user may see completely.
  static func devices(of principal: Principal, _ db: any SQLConnection) throws -> [Device] {
    try TrackTables.devices(db).filter { principal.seesAll(of: $0.id) }
  }
}
