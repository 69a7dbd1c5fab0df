internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitVisits

/// `GET /api/v1/trips/roads`: the lines of trips along roads. They are computed for each request, because only points are stored.
struct TripRoadAPI {
  let work: RequestWork
  let library: RoadLibrary

  /// The maximum number of points in a response. A longer time needs several requests.
  static let maximumPoints = 100_000

  struct Parameters: ParameterList {
    let device: DeviceName
    let times: TimeRange
    static let notes: [String: JSONValue] = [
      "to": .string("The end of the time, in which at most \(TripRoadAPI.maximumPoints) points are allowed.")
    ]
  }

  func lines(_ request: HTTPRequest) throws -> HTTPReply {
    let parameters = try Parameters(request.query)
    let times = try parameters.times.milliseconds(in: TimeRange.all)
    let principal = request.principal
    return work.later(request) {
      // As for trips, devices of other users are never included, even shared ones.
      let device = try principal.device(named: parameters.device.name, in: work.store, wholly: true)
      let (roads, trips) = try work.store.read { db in
        (try library.roads(db), try CorrectedTimeline(db).trips(TimelineRows.Query(device: device.id, times: times)))
      }
      return HTTPResponse(
        status: 200, contentType: "application/geo+json", body: try lines(trips.map(\.trip), of: device, times, roads))
    }
  }

  private func lines(_ trips: [FoundTrip], of device: Device, _ times: Range<Int64>, _ roads: TripRoads?) throws -> [UInt8] {
    var lines = RoadLines(roads)
    guard roads != nil, !trips.isEmpty else { return lines.finish() }
    let points = try points(of: device, times)
    for segment in trips.flatMap(\.segments) {
      let first = points.partitioningIndex { $0.fix.time.millisecondsSince1970 >= segment.start }
      let end = points.partitioningIndex { $0.fix.time.millisecondsSince1970 > segment.end }
      if first < end { lines.append(points[first..<end], by: segment.mode, of: device) }
    }
    return lines.finish()
  }

  /// Returns the points of a time that are not flagged as outliers.
  private func points(of device: Device, _ times: Range<Int64>) throws -> [StoredPoint] {
    var query = PointQuery(limit: Self.maximumPoints + 1)
    query.device = device.id
    query.from = Date(millisecondsSince1970: times.lowerBound)
    query.to = Date(millisecondsSince1970: times.upperBound)
    query.leavesOutMarked = true
    let points = try work.store.points(query)
    guard points.count <= Self.maximumPoints else {
      throw Problem(
        400, "Bad argument", "to: more than \(Self.maximumPoints) points are in the time; choose a shorter one.", at: "to")
    }
    return points
  }

  /// The content of the response: lines with the modes and distances of trips.
  enum LinePage: RawContent {
    static func content(in components: SchemaComponents) -> JSONValue? {
      let time: JSONValue = ["type": "string", "format": "date-time"]
      let properties: JSONValue = [
        "type": "object",
        "properties": [
          "device": ["type": "string"], "from": time, "to": time, "mode": TravelMode.schema(in: components),
          "on_roads": ["type": "boolean"], "distance": ["type": "number", "minimum": 0],
        ],
        "required": ["device", "from", "to", "mode", "on_roads", "distance"],
      ]
      let line = GeoJSON.geometry("LineString", coordinates: GeoJSON.line(in: components))
      return GeoJSON.content("TripRoads", of: GeoJSON.feature(line, properties), in: components)
    }
  }
}
