internal import Foundation
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitModel

extension PrivacyZone.ZoneAction: BodyValue {}

extension ZoneAPI {
  // MARK: Results

  struct Zone: ResultObject {
    var id: String
    var name: String
    var inside: PrivacyZone.ZoneAction
    /// This member and the next one are present for a circle.
    var center: Center?
    var radius: Double?
    /// Present for a polygon: `[longitude, latitude]` of each corner.
    var polygon: [[Double]]?
    var created: Date
    /// Present only in the response to the creation.
    var storedPointsInside: Int?

    static let schemaName: String? = "Zone"
    static let notes: [String: JSONValue] = [
      "id": ["pattern": "^zon_[0-9]+$"], "inside": "What is stored of positions inside.", "radius": "Metres.",
      "polygon": ["items": Ring.corner, "description": "Corners: longitude, latitude."],
      "stored_points_inside": [
        "minimum": 0, "description": "Number of stored points in the zone; only in the response that creates it.",
      ],
    ]

    init(_ zone: PrivacyZone, storedPointsInside: Int? = nil) {
      (id, name, inside, created) = (zone.name, zone.options.name, zone.options.action, zone.created)
      switch zone.options.shape {
      case .circle(let circle):
        center = Center(latitude: circle.center.latitude, longitude: circle.center.longitude)
        radius = circle.radius
      case .area(let area):
        polygon = (area.polygons.first?.rings.first ?? []).map { [$0.longitude, $0.latitude] }
      }
      self.storedPointsInside = storedPointsInside
    }
  }

  struct Center: ResultObject {
    var latitude: Double
    var longitude: Double
  }

  struct Counts: ResultObject {
    var device: String
    var coarsened: Int
    var dropped: Int

    static let notes: [String: JSONValue] = ["coarsened": ["minimum": 0], "dropped": ["minimum": 0]]
  }

  struct ZoneList: ResultObject {
    var zones: [Zone]
    var counts: [Counts]
    static let notes: [String: JSONValue] = ["counts": "Records of each device that zones have changed or dropped."]
  }

  // MARK: Requests

  enum NameLimits: TextLimits {
    static let length = 1...100
  }

  /// The radius of a circle in metres.
  enum RadiusLimits: NumberLimits {
    static let range = 50.0...50_000
    static let expected = "50 to 50000 metres."
  }

  /// A member of a body with the center of a circle.
  struct CenterBody: BodyValue {
    let coordinate: Coordinate
    fileprivate static let expected = #"expected {"latitude": …, "longitude": …}, or a polygon."#

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let value = body.any(name) else { return nil }
      guard let members = value as? [String: Any], let latitude = (members["latitude"] as? NSNumber)?.doubleValue,
        let longitude = (members["longitude"] as? NSNumber)?.doubleValue,
        let coordinate = Coordinate(latitude: latitude, longitude: longitude)
      else { throw body.fault(name, expected) }
      return Self(coordinate: coordinate)
    }
    static func schema(in components: SchemaComponents) -> JSONValue {
      [
        "type": "object",
        "properties": ["latitude": Latitude.schema(in: components), "longitude": Longitude.schema(in: components)],
        "required": ["latitude", "longitude"],
      ]
    }
    init(coordinate: Coordinate) { self.coordinate = coordinate }
    init(from decoder: any Decoder) throws { coordinate = try Coordinate(from: decoder) }
    static var sample: Self {
      get throws { throw DecodingError.dataCorrupted(.init(codingPath: [], debugDescription: "a center has no sample")) }
    }
  }

  /// A member of a body with the corners of a polygon: longitude and latitude of each corner.
  struct Ring: BodyValue {
    let corners: [[Double]]
    static let corner: JSONValue = ["type": "array", "items": ["type": "number"], "minItems": 2, "maxItems": 2]

    static func read(_ name: String, from body: inout JSONBody) throws(Problem) -> Self? {
      guard let value = body.any(name) else { return nil }
      guard let corners = value as? [[Double]], corners.allSatisfy({ $0.count == 2 }) else {
        throw body.fault(name, "expected a ring of corners: [[longitude, latitude], …].")
      }
      return Self(corners: corners)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "array", "items": corner, "minItems": 3] }
    static let sample = Self(corners: [])

    /// The polygon.
    /// - Throws: ``Problem`` if a corner has invalid coordinates, or the corners form no valid polygon.
    var area: MultiPolygon {
      get throws(Problem) {
        var places: [Coordinate] = []
        for (index, corner) in corners.enumerated() {
          guard let place = Coordinate(latitude: corner[1], longitude: corner[0]) else {
            throw ZoneBody.fault("polygon[\(index)]", "not a valid position; longitude comes first.")
          }
          places.append(place)
        }
        if places.count > 1, places.first == places.last { places.removeLast() }
        let polygon: Polygon
        do throws(PolygonFault) { polygon = try Polygon(outer: places) } catch { throw ZoneBody.fault("polygon", "\(error)") }
        guard let area = MultiPolygon([polygon]) else { throw ZoneBody.fault("polygon", "missing.") }
        return area
      }
    }
  }

  struct ZoneBody: BodyObject {
    let name: LimitedText<NameLimits>
    let inside: PrivacyZone.ZoneAction?
    let center: CenterBody?
    let radius: LimitedNumber<RadiusLimits>?
    let polygon: Ring?

    static let kind = "zone"
    static let schemaName: String? = "ZoneBody"
    static let summary: String? = "A circle with center and radius, or a polygon."
    static let notes: [String: JSONValue] = [
      "inside": ["default": "coarsen"], "radius": "Metres.", "polygon": "Corners: longitude, latitude.",
    ]

    func check(_ body: JSONBody) throws(Problem) {
      if polygon != nil {
        guard center == nil, radius == nil else { throw body.fault("polygon", "a zone is a circle or a polygon.") }
      } else {
        guard center != nil else { throw body.fault("center", CenterBody.expected) }
        guard radius != nil else { throw body.fault("radius", RadiusLimits.expected) }
      }
    }

    var options: PrivacyZone.Options {
      get throws(Problem) {
        let shape: PrivacyZone.Shape
        if let polygon {
          shape = .area(try polygon.area)
        } else if let center, let radius {
          shape = .circle(Circle(center: center.coordinate, radius: radius.value))
        } else {
          throw Self.fault("center", CenterBody.expected)
        }
        return PrivacyZone.Options(name: name.text, shape: shape, action: inside ?? .coarsen)
      }
    }
  }
}
