internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `GET /api/v1/overview`: simplified tracks for a map, for any number of points.
struct OverviewAPI {
  let work: RequestWork

  /// Zooms of a map: 256 pixels are the world at 0.
  static let zooms = 0...22

  /// The arguments of a request.
  private struct Query {
    var box: BoundingBox
    /// Metres of a pixel.
    var pixel: Meters
    var device: String?
    var times: ClosedRange<Int64>
  }

  func view(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let query = try Self.query(request)
    let reader = request.reader
    return work.later(request) {
      // Friends' devices show positions only, and no track.
      let device = try query.device.map { try reader.device(named: $0, in: work.store, wholly: true) }
      let devices: [Int64?] = device.map { [$0.id] as [Int64?] } ?? reader.ownDevices?.map { $0 } ?? ([nil] as [Int64?])
      let (names, lines) = try work.store.read { connection in
        let lines = try devices.flatMap {
          try OverviewReader(connection).view(query.box, device: $0, query.times, tolerance: query.pixel)
        }
        return (try DeviceNames(connection, device?.id), lines)
      }
      return HTTPResponse(
        status: 200, contentType: "application/geo+json", body: Self.features(lines, query.box, query.pixel, names))
    }
  }

  /// One feature for each device, with all lines that differ at this zoom.
  private static func features(
    _ lines: [OverviewReader.Line], _ box: BoundingBox, _ pixel: Meters, _ names: DeviceNames
  ) -> [UInt8] {
    var bytes = Array(#"{"type":"FeatureCollection","features":["#.utf8)
    var isFirst = true
    // A tenth of a pixel; finer digits are invisible.
    let decimals = max(0, min(7, Int((5 - log10(max(pixel, 0.001) / 10)).rounded(.up))))
    for (device, lines) in Dictionary(grouping: lines, by: \.device).sorted(by: { $0.key < $1.key }) {
      var screen = ScreenLines(box, cell: pixel)
      let stretches = lines.flatMap { screen.add($0.vertices) }
      if stretches.isEmpty { continue }
      if !isFirst { bytes.append(UInt8(ascii: ",")) }
      isFirst = false
      bytes += Array(#"{"type":"Feature","properties":{"device":"#.utf8)
      JSONWriter.string(names.device(device).name, to: &bytes)
      bytes += Array(#"},"geometry":{"type":"MultiLineString","coordinates":["#.utf8)
      for (index, stretch) in stretches.enumerated() {
        if index > 0 { bytes.append(UInt8(ascii: ",")) }
        bytes.append(UInt8(ascii: "["))
        append(stretch, decimals, to: &bytes)
        // GeoJSON has no line of one point; twice the same point is the shortest one.
        if stretch.count == 1 {
          bytes.append(UInt8(ascii: ","))
          append(stretch, decimals, to: &bytes)
        }
        bytes.append(UInt8(ascii: "]"))
      }
      bytes += Array("]}}".utf8)
    }
    bytes += Array("]}\n".utf8)
    return bytes
  }

  private static func append(_ stretch: [TrackVertex], _ decimals: Int, to bytes: inout [UInt8]) {
    for (index, vertex) in stretch.enumerated() {
      if index > 0 { bytes.append(UInt8(ascii: ",")) }
      bytes.append(UInt8(ascii: "["))
      JSONWriter.number(Double(vertex.longitude) / 1e7, decimals: decimals, to: &bytes)
      bytes.append(UInt8(ascii: ","))
      JSONWriter.number(Double(vertex.latitude) / 1e7, decimals: decimals, to: &bytes)
      bytes.append(UInt8(ascii: "]"))
    }
  }

  // MARK: Arguments

  private static func query(_ request: HTTPRequest) throws(Problem) -> Query {
    guard let box = try request.query.box() else {
      throw Problem(400, "Bad argument", "bbox is missing: west,south,east,north in degrees, what the map shows.")
    }
    let expected = "the map's zoom, \(zooms.lowerBound) to \(zooms.upperBound)"
    let range = Double(zooms.lowerBound)...Double(zooms.upperBound)
    guard let zoom = try request.query.decimal("zoom", in: range, expected) else {
      throw Problem(400, "Bad argument", "zoom is missing: expected \(expected).", at: "zoom")
    }
    // The box' edge furthest from the equator has the smallest pixels; the middle has the average.
    let latitude = (box.south + box.north) / 2
    let pixel = equator / 256 / pow(2, zoom) * max(0.01, cos(latitude * .pi / 180))
    let times = try request.query.times(in: TimeRange.all)
    return Query(box: box, pixel: pixel, device: request.query["device"], times: times.lowerBound...times.upperBound - 1)
  }

  /// Metres of the equator in Web Mercator.
  private static let equator = 40_075_016.686
}
