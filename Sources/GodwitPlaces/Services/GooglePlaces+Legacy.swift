internal import GodwitModel

extension GooglePlaces {
  func nearbySearch(
    _ search: PlaceSearch, type: String?, keyword: String?, from coordinate: Coordinate
  ) async throws -> [Place] {
    var query = [(name: "location", value: search.point.text), (name: "radius", value: "\(search.radius)")]
    if let type { query.append((name: "type", value: type)) }
    if let keyword { query.append((name: "keyword", value: keyword)) }
    query.append((name: "key", value: key.value))
    let response = try await placesClient.ask(
      LegacyResponse.self, about: search.point, path: "/maps/api/place/nearbysearch/json", query: query)
    // Errors also have status 200.
    let fault: (code: PlacesError.Code, what: String)
    switch response.status {
    case "OK", "ZERO_RESULTS":
      let providers = (response.htmlAttributions ?? []).compactMap(\.value)
      return (response.results ?? []).compactMap { $0.value?.place(from: coordinate, providers: providers) }
    case "OVER_QUERY_LIMIT", "OVER_DAILY_LIMIT": fault = (.limitReached, "the limit of requests is reached")
    case "REQUEST_DENIED": fault = (.unauthorized, "it rejects the key")
    case "INVALID_REQUEST", "NOT_FOUND": fault = (.rejected, "it rejects the request")
    case "UNKNOWN_ERROR": fault = (.failed, "it failed")
    default: fault = (.unreadable, "the response's $.status is unknown")
    }
    let detail = [response.status, response.errorMessage].compactMap { $0 }.joined(separator: ", ")
    throw placesClient.fault(fault.code, fault.what, detail: detail, status: 200, about: search.point)
  }
}

private struct LegacyResponse: Decodable {
  var status: String
  var errorMessage: String?
  var results: [LossyDecoding<Entry>]?
  var htmlAttributions: [LossyDecoding<String>]?

  private enum CodingKeys: String, CodingKey {
    case status, results
    case errorMessage = "error_message"
    case htmlAttributions = "html_attributions"
  }

  struct Entry: Decodable {
    var placeID: String
    var name: String?
    var geometry: Geometry?
    var vicinity: String?
    var types: [String]?

    private enum CodingKeys: String, CodingKey {
      case name, geometry, vicinity, types
      case placeID = "place_id"
    }
    struct Geometry: Decodable { var location: Location? }
    struct Location: Decodable {
      var lat: Double
      var lng: Double
    }

    /// Returns the place; `nil` without coordinates.
    func place(from middle: Coordinate, providers: [String]) -> Place? {
      guard let location = geometry?.location,
        let coordinate = Coordinate(latitude: location.lat, longitude: location.lng)
      else { return nil }
      return Place(
        id: placeID, name: name?.nonEmpty, categories: types ?? [], coordinate: coordinate,
        distance: GreatCircle.distance(middle, coordinate), address: vicinity?.nonEmpty,
        attribution: ([GooglePlaces.attribution] + providers).joined(separator: ", "))
    }
  }
}
