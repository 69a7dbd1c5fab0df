internal import Foundation
internal import GodwitAccess
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

/// `GET /api/v1/overview`: returns simplified tracks for a map. The size of the response does not depend on the number of points.
struct OverviewAPI {
  let work: RequestWork

  struct Parameters: ParameterList {
    let bbox: BoxParameter
    let zoom: NumberParameter<Zooms>
    let device: DeviceName?
    let times: TimeRange

    static let notes: [String: JSONValue] = [
      "bbox": "`west,south,east,north` in degrees: the area of the map.",
      "zoom": "Zoom of the map; at 0 the world is 256 pixels wide.",
    ]
  }

  enum Zooms: NumberParameterLimits {
    static let range = 0.0...22
    static let expected = "the map's zoom, 0 to 22"
  }

  /// The box, the zoom and the devices of a map.
  private struct Query {
    var box: BoundingBox
    /// The size of a pixel in metres.
    var pixel: Meters
    var device: String?
    var times: ClosedRange<Int64>

    init(_ parameters: Parameters) throws(Problem) {
      box = parameters.bbox.box
      // The size of a pixel is that of the middle latitude. It is smaller at the edge furthest from the equator.
      let latitude = (box.south + box.north) / 2
      pixel = OverviewAPI.equator / 256 / pow(2, parameters.zoom.value) * max(0.01, cos(latitude * .pi / 180))
      let times = try parameters.times.milliseconds(in: TimeRange.all)
      self.times = times.lowerBound...times.upperBound - 1
      device = parameters.device?.name
    }
  }

  func view(_ request: HTTPRequest) throws -> HTTPReply {
    let query = try Query(Parameters(request.query))
    let principal = request.principal
    return work.later(request) {
      // Tracks of friends' devices are not visible; only their positions are.
      let device = try query.device.map { try principal.device(named: $0, in: work.store, wholly: true) }
      let devices: [Int64?] = device.map { [$0.id] as [Int64?] } ?? principal.ownDevices?.map { $0 } ?? ([nil] as [Int64?])
      let (names, lines) = try work.store.read { db in
        let lines = try devices.flatMap {
          try OverviewReader(db).view(query.box, device: $0, query.times, tolerance: query.pixel)
        }
        return (try DeviceNames(db, device?.id), lines)
      }
      return HTTPResponse(
        status: 200, contentType: "application/geo+json", body: Self.features(lines, query.box, query.pixel, names))
    }
  }

  /// Returns one feature for each device, with all lines that differ at this zoom.
  private static func features(
    _ lines: [OverviewReader.Line], _ box: BoundingBox, _ pixel: Meters, _ names: DeviceNames
  ) -> [UInt8] {
    var bytes = Array(#"{"type":"FeatureCollection","features":["#.utf8)
    var isFirst = true
    // Coordinates are rounded to a tenth of a pixel, which is not visible.
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
        // A GeoJSON line needs at least two positions. A single point is written twice.
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

  /// The length of the equator in Web Mercator in metres.
  private static let equator = 40_075_016.686
}

/// A GeoJSON response with the lines of devices.
enum OverviewLines: RawContent {
  static func content(in components: SchemaComponents) -> JSONValue? {
    let properties: JSONValue = [
      "type": "object", "properties": ["device": ["type": "string"]], "required": ["device"],
    ]
    let lines: JSONValue = ["type": "array", "items": GeoJSON.line(in: components)]
    return GeoJSON.content(
      "Overview", of: GeoJSON.feature(GeoJSON.geometry("MultiLineString", coordinates: lines), properties), isPaged: false,
      in: components)
  }
}
