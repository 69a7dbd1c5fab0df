internal import Foundation
internal import GodwitHTTPClient
public import GodwitModel

extension OpenStreetMapPlaces {
  /// Number of elements requested from Overpass. Overpass returns the elements with the lowest ids and not the nearest ones, so
  /// that a lower number would miss near places. Tags and centres of 500 elements take about 250 kB. With the nodes of ways and the
  /// members of relations they would exceed the limit of ``HTTPClient``.
  static let candidates = 500

  /// Finds the places around a coordinate, nearest first.
  ///
  /// If a circle contains more elements than one request returns, smaller circles are searched as well, each with a quarter of the
  /// radius and in at most four requests, so that the results include the nearest places.
  /// - Parameters:
  ///   - coordinate: Centre of the search.
  ///   - radius: Metres, above 0, at most 5,000.
  ///   - limit: 1…100.
  /// - Throws: ``PlacesError``; `CancellationError`.
  public func places(near coordinate: Coordinate, radius: Meters, limit: Int) async throws -> [Place] {
    let search = try PlaceSearch(
      near: coordinate, radius: radius, limit: limit, bounds: Self.bounds, service: places.service)
    let found: [Place]
    if let known = knownPlaces[search] {
      found = known
    } else {
      found = try await ask(search)
      knownPlaces.store(found, for: search)
    }
    // A cached response is used for all coordinates with the same rounded point. Each coordinate has its own distances.
    return found.map { place in
      var place = place
      if let there = place.coordinate { place.distance = GreatCircle.distance(coordinate, there) }
      return place
    }.nearest(limit)
  }

  private func ask(_ search: PlaceSearch) async throws -> [Place] {
    var found: [String: Place] = [:]
    var radius = search.radius
    for _ in 0..<4 {
      try await turn(of: places, about: search.point)
      // Another task may have completed the same request in the meantime.
      if let known = knownPlaces[search] { return known }
      let response = try await ask(about: search.point, radius: radius)
      for element in response.elements {
        guard let place = element.value?.place(keys: keys, from: search.point) else { continue }
        found[place.id] = place
      }
      if response.elements.count < Self.candidates || radius == 1 { break }
      radius = max(1, radius / 4)
    }
    return Array(found.values).nearest(search.limit)
  }

  private func ask(about point: LookupPoint, radius: Int) async throws -> OverpassResponse {
    let around = "around:\(radius),\(point.text)"
    let selections = keys.map { "nwr(\(around))[\"\($0)\"];" }.joined()
    let query = "[out:json][timeout:25];(\(selections));out tags center \(Self.candidates);"
    let response = try await places.ask(
      OverpassResponse.self, about: point, method: "POST", path: "/api/interpreter",
      headers: ["User-Agent": userAgent, "Content-Type": "application/x-www-form-urlencoded"],
      body: Array(FormFields.encode([("data", query)]).utf8))
    // If a query ran out of time or memory, Overpass responds with status 200, the results so far, and this remark.
    if let remark = response.remark, remark.contains("error") {
      throw places.fault(.failed, "the query did not end", detail: remark, status: 200, about: point)
    }
    return response
  }
}

/// <https://wiki.openstreetmap.org/wiki/OSM_JSON>
private struct OverpassResponse: Decodable {
  var elements: [LossyDecoding<Element>]
  var remark: String?

  struct Element: Decodable {
    var type: String
    var id: Int64
    /// Position of a node.
    var lat: Double?
    var lon: Double?
    /// Centre of a way or a relation.
    var center: Center?
    var tags: [String: String]?

    struct Center: Decodable {
      var lat: Double
      var lon: Double
    }

    /// Returns the place; `nil` without coordinates.
    func place(keys: [String], from point: LookupPoint) -> Place? {
      guard let latitude = lat ?? center?.lat, let longitude = lon ?? center?.lon,
        let coordinate = Coordinate(latitude: latitude, longitude: longitude),
        let middle = Coordinate(latitude: point.latitude, longitude: point.longitude)
      else { return nil }
      let tags = tags ?? [:]
      return Place(
        id: "\(type)/\(id)", name: tags["name"]?.nonEmpty,
        categories: keys.compactMap { key in tags[key].map { "\(key)=\($0)" } }, coordinate: coordinate,
        distance: GreatCircle.distance(middle, coordinate), address: Self.address(tags),
        attribution: OpenStreetMapPlaces.attribution)
    }

    /// Returns "Unter den Linden 77, 10117 Berlin": street and number, then postcode and city.
    private static func address(_ tags: [String: String]) -> String? {
      let street = [tags["addr:street"] ?? tags["addr:place"], tags["addr:housenumber"]].compactMap { $0 }
      let city = [tags["addr:postcode"], tags["addr:city"]].compactMap { $0 }
      return [street, city].filter { !$0.isEmpty }.map { $0.joined(separator: " ") }.joined(separator: ", ").nonEmpty
    }
  }
}
