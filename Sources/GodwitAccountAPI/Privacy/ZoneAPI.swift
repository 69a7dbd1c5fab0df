internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitHTTP
internal import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

/// `/api/v1/zones`: private zones.
struct ZoneAPI {
  let work: RequestWork

  /// Metres of a circle.
  private static let radii = 50.0...50_000
  private static let maximumZones = 200

  /// `GET /api/v1/zones`
  func list(_ request: HTTPRequest) -> HTTPReply {
    let reader = request.reader
    return work.later(request) {
      let account = reader.user?.id
      let text = try work.store.read { connection in
        let zones = try ZoneTable.all(connection).filter { $0.account == account }.map { Self.json($0) }
        let owned = try connection.all("SELECT id, name, owner FROM devices ORDER BY name") {
          (device: Device(id: $0.integer(0), name: $0.text(1)), owner: $0.optionalInteger(2))
        }
        let devices = owned.filter { $0.owner == account }.map(\.device)
        let counts = try devices.map { device -> String in
          let counts = try ZoneTable.counts(of: device.id, connection)
          return JSONText.object {
            $0.add("device", device.name)
            $0.add("coarsened", counts.coarsened)
            $0.add("dropped", counts.dropped)
          }
        }
        return #"{"zones":[\#(zones.joined(separator: ","))],"counts":[\#(counts.joined(separator: ","))]}"#
      }
      return JSONText.response(text)
    }
  }

  /// `POST /api/v1/zones`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let terms = try Self.terms(request.takeBody())
    request.subject = terms.name
    return work.later(request) {
      let made = try work.store.writeAndWait { connection in
        let account = reader.user?.id
        guard try ZoneTable.all(connection).filter({ $0.account == account }).count < Self.maximumZones else {
          throw Problem(409, "Too many zones", "There may be \(Self.maximumZones). Remove one first.")
        }
        guard let made = try ZoneTable.add(terms, of: account, at: Date(), connection) else { throw StoreError.closed }
        return made
      }
      // Points from before the zone stay unchanged until the zone is applied to them.
      let inside = try work.store.read { try StoredPointsInside.count(made, in: $0) }
      return JSONText.response(Self.json(made, storedPointsInside: inside), status: 201)
    }
  }

  /// `PUT` and `DELETE /api/v1/zones/ID`
  func change(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, name, isDeleted) = (request.reader, request.parameter, request.method == "DELETE")
    let terms = isDeleted ? nil : try Self.terms(request.takeBody())
    return work.change(request) { connection in
      guard let id = PrivacyZone.number(of: name),
        let known = try ZoneTable.all(connection).first(where: { $0.id == id && $0.account == reader.user?.id })
      else {
        throw Problem(404, "Unknown zone", "There is no zone \(name.jsonQuoted). /api/v1/zones lists the existing ones.")
      }
      guard let terms else {
        try ZoneTable.remove(id, connection)
        return JSONText.response(JSONText.object { $0.add("deleted", name) })
      }
      try ZoneTable.change(id, terms, connection)
      return JSONText.response(
        Self.json(PrivacyZone(id: id, account: known.account, terms: terms, created: known.created)))
    }
  }

  private static func terms(_ bytes: [UInt8]) throws(Problem) -> PrivacyZone.Terms {
    var body = try JSONBody(bytes, "zone")
    let name = try body.needed("name")
    guard (1...100).contains(name.count) else { throw body.fault("name", "1 to 100 characters.") }
    let treatment = try body.choice("inside", of: PrivacyZone.ZoneAction.self) ?? .coarsen
    let center = body.any("center") as? [String: Any]
    let radius = try body.number("radius")
    let rings = body.any("polygon")
    try body.end()
    if let rings {
      guard center == nil, radius == nil else { throw body.fault("polygon", "a zone is a circle or a polygon.") }
      guard let corners = rings as? [[Double]], corners.allSatisfy({ $0.count == 2 }) else {
        throw body.fault("polygon", "expected a ring of corners: [[longitude, latitude], …].")
      }
      var places: [Coordinate] = []
      for (index, corner) in corners.enumerated() {
        guard let place = Coordinate(latitude: corner[1], longitude: corner[0]) else {
          throw body.fault("polygon[\(index)]", "no place on earth; longitude comes first.")
        }
        places.append(place)
      }
      if places.count > 1, places.first == places.last { places.removeLast() }
      let polygon: Polygon
      do throws(PolygonFault) { polygon = try Polygon(outer: places) } catch { throw body.fault("polygon", "\(error)") }
      guard let area = MultiPolygon([polygon]) else { throw body.fault("polygon", "missing.") }
      return PrivacyZone.Terms(name: name, shape: .area(area), treatment: treatment)
    }
    guard let latitude = (center?["latitude"] as? NSNumber)?.doubleValue,
      let longitude = (center?["longitude"] as? NSNumber)?.doubleValue,
      let place = Coordinate(latitude: latitude, longitude: longitude)
    else { throw body.fault("center", #"expected {"latitude": …, "longitude": …}, or a polygon."#) }
    guard let radius, radii.contains(radius) else {
      throw body.fault("radius", "\(Int(radii.lowerBound)) to \(Int(radii.upperBound)) metres.")
    }
    return PrivacyZone.Terms(name: name, shape: .circle(Circle(center: place, radius: radius)), treatment: treatment)
  }

  private static func json(_ zone: PrivacyZone, storedPointsInside: Int? = nil) -> String {
    JSONText.object {
      $0.add("id", zone.name)
      $0.add("name", zone.terms.name)
      $0.add("inside", zone.terms.treatment.rawValue)
      switch zone.terms.shape {
      case .circle(let circle):
        $0.add(
          "center", raw: #"{"latitude":\#(circle.center.latitude),"longitude":\#(circle.center.longitude)}"#)
        $0.add("radius", raw: "\(circle.radius)")
      case .area(let area):
        let ring = area.polygons.first?.rings.first ?? []
        $0.add("polygon", raw: "[" + ring.map { "[\($0.longitude),\($0.latitude)]" }.joined(separator: ",") + "]")
      }
      $0.add("created", zone.created)
      if let storedPointsInside { $0.add("stored_points_inside", storedPointsInside) }
    }
  }
}
