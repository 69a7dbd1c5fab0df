internal import Foundation
internal import GodwitModel

extension GooglePlaces {
  /// The requested fields. The most expensive field determines the price. The service rejects a request without a mask.
  static let fieldMask =
    "places.id,places.displayName,places.location,places.types,places.formattedAddress,places.attributions"

  func searchNearby(_ search: PlaceSearch, includedTypes: [String], from coordinate: Coordinate) async throws -> [Place] {
    let request = SearchRequest(
      includedTypes: includedTypes.isEmpty ? nil : includedTypes, maxResultCount: search.limit,
      locationRestriction: SearchRequest.Restriction(
        circle: SearchRequest.Circle(
          center: SearchRequest.Center(latitude: search.point.latitude, longitude: search.point.longitude),
          radius: search.radius)))
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let response = try await placesClient.ask(
      NewResponse.self, about: search.point, method: "POST", path: "/v1/places:searchNearby",
      headers: [
        "Content-Type": "application/json", "X-Goog-Api-Key": key.value, "X-Goog-FieldMask": Self.fieldMask,
      ], body: Array(try encoder.encode(request)))
    // Without results the response is an empty object.
    return (response.places ?? []).compactMap { $0.value?.place(from: coordinate) }
  }
}

private struct SearchRequest: Encodable {
  var includedTypes: [String]?
  var maxResultCount: Int
  var rankPreference = "DISTANCE"
  var locationRestriction: Restriction

  struct Restriction: Encodable { var circle: Circle }
  struct Circle: Encodable {
    var center: Center
    var radius: Int
  }
  struct Center: Encodable {
    var latitude: Double
    var longitude: Double
  }
}

private struct NewResponse: Decodable {
  var places: [LossyDecoding<Entry>]?

  struct Entry: Decodable {
    var id: String
    var displayName: Name?
    var location: Location?
    var types: [String]?
    var formattedAddress: String?
    var attributions: [LossyDecoding<Attribution>]?

    struct Name: Decodable { var text: String? }
    struct Attribution: Decodable { var provider: String }
    /// Google's JSON omits numbers that are zero.
    struct Location: Decodable {
      var latitude: Double?
      var longitude: Double?
    }

    /// Returns the place; `nil` without coordinates.
    func place(from middle: Coordinate) -> Place? {
      guard let location, location.latitude != nil || location.longitude != nil,
        let coordinate = Coordinate(latitude: location.latitude ?? 0, longitude: location.longitude ?? 0)
      else { return nil }
      let providers = (attributions ?? []).compactMap { $0.value?.provider }
      return Place(
        id: id, name: displayName?.text?.nonEmpty, categories: types ?? [], coordinate: coordinate,
        distance: GreatCircle.distance(middle, coordinate), address: formattedAddress?.nonEmpty,
        attribution: ([GooglePlaces.attribution] + providers).joined(separator: ", "))
    }
  }
}
