internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/visits`, `/api/v1/trips` and `/api/v1/outliers`: what the server computes from points.
///
/// Devices of other users are never included, even shared ones: a visit reveals more than a position.
struct TimelineAPI {
  let work: RequestWork
  /// Publishes flags of points to open pages.
  let eventPublisher: EventPublisher

  static let pageSize = 200
  static let largestPage = 2_000
  /// From 1900 to 2200: the accepted range of times. Counting its days cannot overflow.
  static let allTimes: Range<Int64> = -2_208_988_800_000..<7_258_118_400_000

  /// The arguments of a request.
  private struct Query: Sendable {
    var device: String?
    var times: Range<Int64>
    var limit: Int
    var after: [Int64]?
  }

  // MARK: Routes

  /// `GET /api/v1/visits`
  func visits(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try page(request, cursor: 2) { devices, query, connection in
      var texts: [(cursor: String, text: String)] = []
      for device in devices {
        let rows = TimelineRows(connection)
        let finder = try PlaceFinder(device: device.id, connection)
        for visit in try rows.visits(Self.part(of: query, device, texts.count)) {
          let address = finder.place(of: visit) == nil ? try AddressTable.address(near: visit.coordinate, connection) : nil
          texts.append(("\(device.id)_\(visit.arrival)", Self.json(visit, of: device, finder.place(of: visit), address)))
        }
        if texts.count > query.limit { break }
      }
      return ("visits", texts)
    }
  }

  /// `GET /api/v1/trips`
  func trips(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try page(request, cursor: 2) { devices, query, connection in
      var texts: [(cursor: String, text: String)] = []
      for device in devices {
        let rows = TimelineRows(connection)
        for trip in try rows.trips(Self.part(of: query, device, texts.count)) {
          texts.append(("\(device.id)_\(trip.start)", Self.json(trip, of: device)))
        }
        if texts.count > query.limit { break }
      }
      return ("trips", texts)
    }
  }

  /// `GET /api/v1/outliers`
  func marks(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try page(request, cursor: 4) { devices, query, connection in
      var texts: [(cursor: String, text: String)] = []
      for device in devices {
        var after: PointKey?
        if let cursor = query.after, cursor[0] == device.id {
          after = PointKey(time: cursor[1], latitude: cursor[2], longitude: cursor[3])
        }
        let entries = try MarkTable.entries(
          ofDevice: device.id, query.times, after: after, limit: query.limit + 1 - texts.count, in: connection)
        for entry in entries {
          let mark = entry.mark
          texts.append(("\(device.id)_\(mark.time)_\(mark.latitude)_\(mark.longitude)", Self.json(entry, of: device)))
        }
        if texts.count > query.limit { break }
      }
      return ("outliers", texts)
    }
  }

  /// `PUT` and `DELETE /api/v1/outliers`: flags that a user sets on a point.
  func mark(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let isDeleted = request.method == "DELETE"
    var isMarked: Bool?
    var body = try JSONBody(request.takeBody(), "mark")
    let name = try body.needed("device")
    guard let time = try body.date("time") else { throw body.fault("time", "missing.") }
    guard let latitude = try body.number("latitude"), let longitude = try body.number("longitude"),
      Coordinate(latitude: latitude, longitude: longitude) != nil
    else { throw body.fault("latitude", "expected the latitude and longitude of a point, as /api/v1/points has them.") }
    if !isDeleted { isMarked = try body.flag("marked") ?? true }
    try body.end()
    let device = try reader.device(named: name, in: work.store, wholly: true)
    let mark = PointKey(
      time: time.millisecondsSince1970, latitude: Int64((latitude * 1e7).rounded()),
      longitude: Int64((longitude * 1e7).rounded()))
    request.subject = device.name
    if let refusal = request.suspend() { return .now(refusal) }
    let change: @Sendable (any SQLConnection) throws -> HTTPResponse = { [isMarked] connection in
      guard try MarkTable.set(isMarked, mark, ofDevice: device.id, at: Date(), in: connection) else {
        throw Problem(
          404, "Unknown point",
          "\(device.name) has no point of that time and place. /api/v1/points?marked=true lists those that are.")
      }
      return JSONText.response(
        JSONText.object {
          $0.add("device", device.name)
          $0.add("time", Date(millisecondsSince1970: mark.time))
          $0.add("marked", raw: isMarked.map { $0 ? "true" : "false" } ?? "null")
          $0.add("by_hand", isMarked != nil)
        })
    }
    work.store.write(change) { [isMarked] result in
      switch result {
      case .success(let response):
        request.finish(response)
        // Flags of the server are published after the timeline was computed.
        if let isMarked {
          eventPublisher.announce(
            FlagChange(flagged: isMarked ? [mark] : [], unflagged: isMarked ? [] : [mark]), ofDevice: device.id)
        }
      case .failure(let error): request.finish(RequestWork.problem(error).response)
      }
    }
    return .later
  }

  // MARK: Pages

  private static func part(of query: Query, _ device: Device, _ count: Int) -> TimelineRows.Query {
    var after: Int64?
    if let cursor = query.after, cursor[0] == device.id { after = cursor[1] }
    return TimelineRows.Query(device: device.id, times: query.times, after: after, limit: query.limit + 1 - count)
  }

  /// Answers with a page.
  /// - Parameters:
  ///   - cursor: numbers of the cursor; the first is the number of the device.
  ///   - body: returns the name of the list and its objects, with one more than requested if there is a next page.
  private func page(
    _ request: HTTPRequest, cursor parts: Int,
    _ body: @escaping @Sendable ([Device], Query, any SQLConnection) throws -> (String, [(cursor: String, text: String)])
  ) throws(Problem) -> HTTPReply {
    let query = try Self.query(request, cursor: parts)
    let reader = request.reader
    return work.later(request) {
      let one = try query.device.map { try reader.device(named: $0, in: work.store, wholly: true) }
      return try work.store.read { connection in
        let devices = try one.map { [$0] } ?? Self.devices(of: reader, connection)
        let rest = devices.filter { $0.id >= query.after?[0] ?? .min }
        let (name, objects) = try body(rest, query, connection)
        let rows = TimelineRows(connection)
        let pending = try devices.reduce(0) { try $0 + rows.pending(device: $1.id, before: query.times.upperBound) }
        let page = objects.prefix(query.limit)
        let next = objects.count > query.limit ? page.last.map { "\"\($0.cursor)\"" } : nil
        return JSONText.response(
          #"{"\#(name)":[\#(page.map(\.text).joined(separator: ","))],"pending":\#(pending),"next_cursor":\#(next ?? "null")}"#)
      }
    }
  }

  private static func query(_ request: HTTPRequest, cursor parts: Int) throws(Problem) -> Query {
    let query = request.query
    return Query(
      device: query["device"], times: try query.times(in: allTimes),
      limit: try query.limit(standard: pageSize, largest: largestPage),
      after: try query.cursor { text in
        let numbers = text.split(separator: "_", omittingEmptySubsequences: false).compactMap { CursorNumber($0)?.value }
        return numbers.count == parts ? numbers : nil
      })
  }

  /// All devices that the requester may see wholly.
  static func devices(of reader: Reader, _ connection: any SQLConnection) throws -> [Device] {
    try connection.all("SELECT id, name FROM devices ORDER BY id") { Device(id: $0.integer(0), name: $0.text(1)) }
      .filter { reader.seesAll(of: $0.id) }
  }

  // MARK: JSON

  static func json(_ visit: FoundVisit, of device: Device, _ place: NamedPlace?, _ address: Address?) -> String {
    JSONText.object {
      $0.add("device", device.name)
      $0.add("arrival", Date(millisecondsSince1970: visit.arrival))
      $0.add("departure", visit.departure.map { Date(millisecondsSince1970: $0) })
      $0.add("seen", Date(millisecondsSince1970: visit.seen))
      $0.add("duration", raw: JSONText.number(Double((visit.departure ?? visit.seen) - visit.arrival) / 1000, 0))
      $0.add("latitude", raw: JSONText.number(visit.coordinate.latitude, 6))
      $0.add("longitude", raw: JSONText.number(visit.coordinate.longitude, 6))
      $0.add("radius", raw: JSONText.number(visit.radius, 1))
      $0.add("points", visit.points)
      $0.add("confidence", raw: JSONText.number(visit.confidence, 2))
      $0.add("reported", visit.isReported)
      $0.add("place", raw: place.map { #"{"id":"\#($0.word)","name":\#($0.terms.name.jsonQuoted)}"# } ?? "null")
      $0.add("address", raw: address?.json ?? "null")
    }
  }

  static func json(_ trip: FoundTrip, of device: Device) -> String {
    func place(_ position: [Int32]) -> String {
      guard position.count == 2 else { return "null" }
      return
        #"{"latitude":\#(JSONText.number(Double(position[0]) / 1e7, 6)),"longitude":\#(JSONText.number(Double(position[1]) / 1e7, 6))}"#
    }
    return JSONText.object {
      $0.add("device", device.name)
      $0.add("start", Date(millisecondsSince1970: trip.start))
      $0.add("end", Date(millisecondsSince1970: trip.end))
      $0.add("duration", raw: JSONText.number(Double(trip.end - trip.start) / 1000, 0))
      $0.add("moving", raw: JSONText.number(trip.moving, 0))
      $0.add("distance", raw: JSONText.number(trip.distance, 1))
      $0.add("speed", raw: trip.moving > 0 ? JSONText.number(trip.distance / trip.moving, 2) : "null")
      $0.add("top_speed", raw: JSONText.number(trip.topSpeed, 2))
      $0.add("mode", trip.mode.rawValue)
      $0.add("confidence", raw: JSONText.number(trip.confidence, 2))
      $0.add("from", raw: place(trip.from))
      $0.add("to", raw: place(trip.to))
      $0.add("segments", raw: "[" + trip.segments.map(json).joined(separator: ",") + "]")
    }
  }

  private static func json(_ segment: FoundTrip.Segment) -> String {
    JSONText.object {
      $0.add("mode", segment.mode.rawValue)
      $0.add("confidence", raw: JSONText.number(segment.confidence, 2))
      $0.add("reported", segment.isReported)
      $0.add("start", Date(millisecondsSince1970: segment.start))
      $0.add("end", Date(millisecondsSince1970: segment.end))
      $0.add("distance", raw: JSONText.number(segment.distance, 1))
      $0.add("moving", raw: JSONText.number(segment.moving, 0))
      $0.add("top_speed", raw: JSONText.number(segment.topSpeed, 2))
    }
  }

  private static func json(_ entry: MarkTable.Entry, of device: Device) -> String {
    JSONText.object {
      $0.add("device", device.name)
      $0.add("time", Date(millisecondsSince1970: entry.mark.time))
      $0.add("latitude", raw: JSONText.number(Double(entry.mark.latitude) / 1e7, 7))
      $0.add("longitude", raw: JSONText.number(Double(entry.mark.longitude) / 1e7, 7))
      $0.add("reason", entry.reason.rawValue)
      $0.add("marked", entry.isMarked)
      $0.add("by_hand", entry.isByHand)
    }
  }
}
