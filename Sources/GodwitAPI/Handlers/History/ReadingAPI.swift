internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import Synchronization

/// `GET /api/…`: returns devices, points and tracks as JSON.
struct ReadingAPI {
  let work: RequestWork
  let access: AccessControl
  let feed: EventBroadcaster
  let limits: ServerLimits

  // MARK: Routes

  func devices(_ request: PlainRequest) async throws -> DeviceList {
    let principal = request.principal
    return try await work.run {
      let visible = VisiblePoints(principal, work.store)
      let missing = try visible.missingRecords()
      let (owners, looks) = try work.store.read { (try DeviceOwners.names($0), try DeviceAppearanceTable.all($0)) }
      let entries = try work.store.devices().compactMap { summary -> DeviceEntry? in
        let (device, owner, look) = (summary.device, owners[summary.device.id], looks[summary.device.id])
        guard let accessLevel = principal.accessLevel(of: device.id) else { return nil }
        if accessLevel == .everything { return DeviceEntry(summary, owner: owner, missing: missing[device.id] ?? 0, look: look) }
        return DeviceEntry(device, try visible.shared(summary, accessLevel), owner: owner, look: look)
      }
      return DeviceList(devices: entries)
    }
  }

  func points(_ request: HTTPRequest) throws -> HTTPReply {
    let (principal, parameters) = (request.principal, try PointParameters(request.query))
    return reading(request, parameters.filter, limit: parameters.limit.count) { query in
      let points = try VisiblePoints(principal, work.store).points(query)
      var text = Array(#"{"type":"FeatureCollection","features":["#.utf8)
      for (index, point) in points.enumerated() {
        if index > 0 { text.append(UInt8(ascii: ",")) }
        PointFeature.write(point.record, device: point.device.name, into: &text)
      }
      let next = points.count == query.limit ? points.last.map { "\"\($0.cursor)\"" } : nil
      text += Array("],\"next_cursor\":\(next ?? "null")}\n".utf8)
      return HTTPResponse(status: 200, contentType: "application/geo+json", body: text)
    }
  }

  func track(_ request: HTTPRequest) throws -> HTTPReply {
    let (principal, parameters) = (request.principal, try TrackParameters(request.query))
    let (gap, detail) = (parameters.gap.value, parameters.detail.value)
    return reading(request, parameters.filter, limit: parameters.limit.count) { query in
      if detail > 0, query.leavesOutMarked, let device = query.device, query.box == nil, principal.seesAll(of: device) {
        return try simplified(query, device: device, detail: detail, gap: gap)
      }
      let visible = VisiblePoints(principal, work.store)
      var track = TrackLines(gap: gap)
      var page = query
      page.limit = min(query.limit, 20_000)
      var left = query.limit
      var next: PointCursor?
      repeat {
        page.limit = min(page.limit, left)
        let points = try visible.points(page)
        for point in points { track.append(point) }
        left -= points.count
        next = points.count == page.limit ? points.last?.cursor : nil
        page.after = next
      } while next != nil && left > 0
      return HTTPResponse(
        status: 200, contentType: "application/geo+json", body: track.finish(next: next?.description))
    }
  }

  /// Returns a track simplified to `detail` metres. The track has no speeds, because speeds need every point.
  private func simplified(
    _ query: PointQuery, device: Int64, detail: Double, gap: Double
  ) throws -> HTTPResponse {
    let from = query.from?.millisecondsSince1970 ?? 0
    let to = query.to?.millisecondsSince1970 ?? work.now.millisecondsSince1970 + DayLength.milliseconds
    guard from < to else { throw Problem(400, "Bad argument", "to: expected a time after from.") }
    var track = TrackLines(gap: .infinity)
    try work.store.read { db in
      let named = try DeviceNames(db, device).device(device)
      for line in try OverviewReader(db).track(device: device, from..<to, tolerance: detail) {
        track.append(line, of: named)
      }
    }
    return HTTPResponse(status: 200, contentType: "application/geo+json", body: track.finish(next: nil))
  }

  func journals(_ request: ParameterRequest<DeviceParameters>) async throws -> JournalList {
    let (principal, name) = (request.principal, request.parameters.device?.name)
    return try await work.run {
      let device = try name.map { try principal.device(named: $0, in: work.store, wholly: true) }
      let journals = try VisiblePoints(principal, work.store).journals(device: device?.id)
      return JournalList(journals: journals.map { JournalEntry($0) })
    }
  }

  func events(_ request: HTTPRequest) throws -> HTTPReply {
    let device = try DeviceParameters(request.query).device.map { device throws(Problem) in
      try request.principal.device(named: device.name, in: work.store)
    }
    try limits.shareStream(request)
    let principal = request.principal
    return .now(
      HTTPResponse(
        events: feed.subscribe(device: device?.id, audience: principal.audience) { [access] in
          access.current(principal)?.audience
        }))
  }

  // MARK: Arguments

  /// Reads points and writes the response on a queue other than the network threads.
  private func reading(
    _ request: HTTPRequest, _ filter: PointFilter, limit: Int, _ body: @escaping @Sendable (PointQuery) throws -> HTTPResponse
  ) -> HTTPReply {
    let principal = request.principal
    return work.later(request) {
      var query = filter.query(limit: limit)
      query.device = try filter.device.map { try principal.device(named: $0.name, in: work.store).id }
      return try body(query)
    }
  }
}
