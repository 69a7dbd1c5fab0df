internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText
internal import Synchronization

/// `GET /api/…`: devices, points and tracks as JSON.
struct ReadingAPI {
  let work: RequestWork
  let access: AccessControl
  let feed: EventBroadcaster
  let limits: ServerLimits

  /// Points in a page, unless the request limits it further.
  static let pageSize = 1000
  static let largestPage = 10_000
  /// Points in one track; a longer range needs several requests.
  static let largestTrack = 500_000
  /// Seconds without a point that break a line, unless the request says otherwise.
  static let standardGap = 900.0

  // MARK: Routes

  func devices(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      var text = Array(#"{"devices":["#.utf8)
      let visible = VisiblePoints(reader, work.store)
      let missing = try visible.missingRecords()
      let owners = try work.store.read { try DeviceOwners.names($0) }
      var isFirst = true
      for summary in try work.store.devices() {
        guard let accessLevel = reader.accessLevel(of: summary.device.id) else { continue }
        if !isFirst { text.append(UInt8(ascii: ",")) }
        isFirst = false
        text += Array(#"{"name":\#(summary.device.name.jsonQuoted)"#.utf8)
        text += Array(#","owner":\#(owners[summary.device.id]?.jsonQuoted ?? "null")"#.utf8)
        guard accessLevel == .everything else {
          text += try visible.shown(of: summary, accessLevel)
          continue
        }
        text += Array(#","sight":"all","points":\#(summary.points)"#.utf8)
        text += Array(#","first":\#(Self.time(summary.first)),"last_contact":\#(Self.time(summary.lastContact))"#.utf8)
        text += Array(
          #","refused":\#(summary.refused),"missing":\#(missing[summary.device.id] ?? 0),"last":"#.utf8)
        if let last = summary.last {
          PointFeature.write(last.record, device: summary.device.name, into: &text)
        } else {
          text += Array("null".utf8)
        }
        text.append(UInt8(ascii: "}"))
      }
      return .json(text + Array("]}\n".utf8))
    }
  }

  func points(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    return try reading(request) { query in
      let points = try VisiblePoints(reader, work.store).points(query)
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

  func track(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let gap =
      try request.query.decimal("gap", in: .leastNormalMagnitude...1e12, "seconds, more than 0")
      ?? Self.standardGap
    let detail = try request.query.decimal("detail", in: 0...1e9, "metres, 0 or more") ?? 0
    let reader = request.reader
    return try reading(request, limit: Self.largestTrack) { query in
      if detail > 0, query.leavesOutMarked, let device = query.device, query.box == nil, reader.seesAll(of: device) {
        return try simplified(query, device: device, detail: detail, gap: gap)
      }
      let visible = VisiblePoints(reader, work.store)
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

  /// A track simplified to `detail` metres. It has no speeds, because they need every point.
  private func simplified(
    _ query: PointQuery, device: Int64, detail: Double, gap: Double
  ) throws -> HTTPResponse {
    let from = query.from?.millisecondsSince1970 ?? 0
    let to = query.to?.millisecondsSince1970 ?? Date().millisecondsSince1970 + DirtyDays.millisecondsOfDay
    guard from < to else { throw Problem(400, "Bad argument", "to: expected a time after from.") }
    var track = TrackLines(gap: .infinity)
    try work.store.read { connection in
      let named = try DeviceNames(connection, device).device(device)
      for line in try OverviewReader(connection).track(device: device, from..<to, tolerance: detail) {
        track.append(line, of: named)
      }
    }
    return HTTPResponse(status: 200, contentType: "application/geo+json", body: track.finish(next: nil))
  }

  func journals(_ request: HTTPRequest) -> HTTPReply {
    let name = request.query["device"]
    let reader = request.reader
    return work.later(request) {
      let device = try name.map { try reader.device(named: $0, in: work.store, wholly: true) }
      func list(_ ranges: [ClosedRange<RecordNumber>]) -> String {
        "[" + ranges.map { "[\($0.lowerBound),\($0.upperBound)]" }.joined(separator: ",") + "]"
      }
      let journals = try VisiblePoints(reader, work.store).journals(device: device?.id).map { journal in
        let name = RecordID.text(ofJournal: journal.journal)
        return
          #"{"device":\#(journal.device.name.jsonQuoted),"journal":"\#(name)","since":\#(journal.since.map { "\($0)" } ?? "null"),"covered":\#(list(journal.covered)),"missing":\#(list(journal.missing)),"missing_count":\#(journal.missingCount)}"#
      }
      return .json(Array(#"{"journals":[\#(journals.joined(separator: ","))]}"#.utf8 + [UInt8(ascii: "\n")]))
    }
  }

  func events(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let device = try request.query["device"].map { name throws(Problem) in
      try request.reader.device(named: name, in: work.store)
    }
    try limits.shareStream(request)
    let reader = request.reader
    return .now(
      HTTPResponse(
        events: feed.subscribe(device: device?.id, audience: reader.audience) { [access] in
          access.current(reader)?.audience
        }))
  }

  // MARK: Arguments

  /// Reads `device`, `from`, `to`, `bbox`, `cursor` and `limit`, then answers on another queue than the receiving
  /// threads.
  private func reading(
    _ request: HTTPRequest, limit largest: Int = ReadingAPI.largestPage,
    _ body: @escaping @Sendable (PointQuery) throws -> HTTPResponse
  ) throws(Problem) -> HTTPReply {
    let standard = largest == Self.largestPage ? Self.pageSize : largest
    var query = PointQuery(limit: try request.query.limit(standard: standard, largest: largest))
    (query.from, query.to) = try request.query.dates()
    query.box = try request.query.box()
    query.leavesOutMarked = try !request.query.flag("marked")
    query.after = try request.query.cursor { PointCursor($0) }
    let name = request.query["device"]
    let fixed = query
    let reader = request.reader
    return work.later(request) {
      var query = fixed
      query.device = try name.map { try reader.device(named: $0, in: work.store).id }
      return try body(query)
    }
  }

  private static func time(_ date: Date?) -> String { date.map { "\"\(RFC3339.string($0))\"" } ?? "null" }
}
