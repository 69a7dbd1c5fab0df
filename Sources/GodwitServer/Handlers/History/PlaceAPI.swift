internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitModel
internal import GodwitStore
internal import GodwitText

/// `/api/v1/places`: named places, and the places that visits refer to.
struct PlaceAPI {
  let work: RequestWork

  /// Metres of a circle.
  private static let radii = 20.0...5_000
  private static let maximumPlaces = 1_000
  private static let maximumLearned = 200

  /// `GET /api/v1/places`: with a device, the places its visits can refer to, and optionally clusters of its visits.
  func list(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    let name = request.query["device"]
    let isLearned = try request.query.flag("learned")
    if isLearned, name == nil { throw Problem(400, "Bad argument", "learned=true: say of which device.") }
    return work.later(request) {
      let device = try name.map { try reader.device(named: $0, in: work.store, wholly: true) }
      return try work.store.read { connection in
        let account = try device.map { try TrackTables.owner(of: $0.id, connection) } ?? reader.user?.id
        let places = try PlaceTables.all(of: account, connection)
        var text = #"{"places":[\#(places.map(Self.json).joined(separator: ","))]"#
        if isLearned, let device {
          let all = TimelineRows.Query(device: device.id, times: .min..<Int64.max)
          let learned = LearnedPlaces(try TimelineRows(connection).visits(all), PlaceFinder(places))
          let clusters = try learned.clusters.filter { $0.place == nil }.prefix(Self.maximumLearned).map {
            Self.json($0, try AddressTable.address(near: $0.center, connection))
          }
          text += #","learned":[\#(clusters.joined(separator: ","))]"#
        }
        return JSONText.response(text + "}")
      }
    }
  }

  /// `POST /api/v1/places`
  func add(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let reader = request.reader
    var body = try JSONBody(request.takeBody(), "place")
    let name = try body.text("device")
    let terms = try Self.terms(&body)
    let device = try name.map { name throws(Problem) in try reader.device(named: name, in: work.store, wholly: true) }
    request.subject = terms.name
    return work.change(request) { [device] connection in
      let account = try device.map { try TrackTables.owner(of: $0.id, connection) } ?? reader.user?.id
      guard try PlaceTables.all(of: account, connection).count < Self.maximumPlaces else {
        throw Problem(409, "Too many places", "There may be \(Self.maximumPlaces). Remove one first.")
      }
      guard let made = try PlaceTables.add(terms, of: account, at: Date(), connection) else { throw StoreError.closed }
      return JSONText.response(Self.json(made), status: 201)
    }
  }

  /// `PUT` and `DELETE /api/v1/places/ID`
  func change(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    let (reader, word, isDeleted) = (request.reader, request.parameter, request.method == "DELETE")
    var terms: NamedPlace.Terms?
    if !isDeleted {
      var body = try JSONBody(request.takeBody(), "place")
      terms = try Self.terms(&body)
    }
    return work.change(request) { [terms] connection in
      guard let id = NamedPlace.number(of: word), let known = try PlaceTables.place(id, connection),
        known.account == reader.user?.id || reader.isAdministrator
      else {
        throw Problem(404, "Unknown place", "There is no place \(word.jsonQuoted). /api/v1/places lists those that are.")
      }
      guard let terms else {
        try PlaceTables.remove(id, connection)
        return JSONText.response(JSONText.object { $0.add("deleted", word) })
      }
      try PlaceTables.change(id, terms, connection)
      return JSONText.response(Self.json(NamedPlace(id: id, account: known.account, terms: terms, created: known.created)))
    }
  }

  private static func terms(_ body: inout JSONBody) throws(Problem) -> NamedPlace.Terms {
    let name = try body.needed("name")
    guard (1...100).contains(name.count) else { throw body.fault("name", "1 to 100 characters.") }
    guard let latitude = try body.number("latitude"), let longitude = try body.number("longitude"),
      let center = Coordinate(latitude: latitude, longitude: longitude)
    else { throw body.fault("latitude", "expected the latitude and longitude of a place, in degrees.") }
    let radius = try body.number("radius") ?? 100
    guard radii.contains(radius) else {
      throw body.fault("radius", "\(Int(radii.lowerBound)) to \(Int(radii.upperBound)) metres.")
    }
    try body.end()
    return NamedPlace.Terms(name: name, center: center, radius: radius)
  }

  private static func json(_ place: NamedPlace) -> String {
    JSONText.object {
      $0.add("id", place.word)
      $0.add("name", place.terms.name)
      $0.add("latitude", raw: JSONText.number(place.terms.center.latitude, 7))
      $0.add("longitude", raw: JSONText.number(place.terms.center.longitude, 7))
      $0.add("radius", raw: JSONText.number(place.terms.radius, 1))
      $0.add("created", place.created)
    }
  }

  /// Visits at one place.
  static func json(_ cluster: LearnedPlaces.Cluster, _ address: Address?) -> String {
    JSONText.object {
      $0.add("id", cluster.place?.word)
      $0.add("name", cluster.place?.terms.name)
      $0.add("latitude", raw: JSONText.number(cluster.center.latitude, 6))
      $0.add("longitude", raw: JSONText.number(cluster.center.longitude, 6))
      $0.add("visits", cluster.visits)
      $0.add("seconds", raw: JSONText.number(cluster.seconds, 0))
      $0.add("first", Date(millisecondsSince1970: cluster.first))
      $0.add("last", Date(millisecondsSince1970: cluster.last))
      $0.add("address", raw: address?.json ?? "null")
    }
  }
}
