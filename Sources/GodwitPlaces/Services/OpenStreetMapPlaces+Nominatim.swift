internal import Foundation
public import GodwitModel

extension OpenStreetMapPlaces {
  /// Finds the address at a coordinate with Nominatim, down to the building.
  /// - Parameter coordinate: The position, which is rounded to four decimals before it is sent.
  /// - Throws: ``PlacesError``, with the code `notFound` if there is no address, as at sea. `CancellationError` if the task is
  ///   cancelled.
  public func address(at coordinate: Coordinate) async throws -> PlaceAddress {
    let point = LookupPoint(coordinate)
    if let known = knownAddresses[point] { return known }
    var query = [
      ("lat", point.latitudeText), ("lon", point.longitudeText), ("format", "jsonv2"), ("zoom", "18"),
      ("addressdetails", "1"),
    ]
    if let language { query.append(("accept-language", language)) }
    try await turn(of: addresses, about: point)
    // Another task may have completed the same request in the meantime.
    if let known = knownAddresses[point] { return known }
    let response = try await addresses.ask(
      NominatimResponse.self, about: point, path: "/reverse", query: query.map { (name: $0.0, value: $0.1) },
      headers: ["User-Agent": userAgent])
    // Errors also have status 200.
    if let error = response.error {
      let isNothing = error.lowercased().contains("unable to geocode")
      throw addresses.fault(
        isNothing ? .notFound : .failed, isNothing ? "it has no address for this position" : "it failed", detail: error,
        status: 200, about: point)
    }
    guard let address = response.address else {
      throw addresses.fault(.unreadable, "the response has no member $.display_name", status: 200, about: point)
    }
    knownAddresses.store(address, for: point)
    return address
  }
}

/// <https://nominatim.org/release-docs/latest/api/Output/>
private struct NominatimResponse: Decodable {
  var error: String?
  var address: PlaceAddress?

  private enum Keys: String, CodingKey {
    case error, name, address
    case displayName = "display_name"
  }

  init(from decoder: any Decoder) throws {
    let values = try decoder.container(keyedBy: Keys.self)
    if values.contains(.error) {
      let errorBody = try APIErrorBody(from: decoder)
      error = errorBody.message ?? "no reason given"
      return
    }
    guard let text = try? values.decode(String.self, forKey: .displayName) else { return }
    let parts = (try? values.decode([String: LossyDecoding<String>].self, forKey: .address)) ?? [:]
    // Returns the first member that exists among alternative names.
    func part(_ names: String...) -> String? { names.lazy.compactMap { parts[$0]?.value?.nonEmpty }.first }
    address = PlaceAddress(
      text: text, name: (try? values.decode(String.self, forKey: .name))?.nonEmpty, houseNumber: part("house_number"),
      street: part("road", "pedestrian", "footway", "path"), postcode: part("postcode"),
      locality: part("city", "town", "village", "municipality", "hamlet"), region: part("state", "province", "region"),
      country: part("country"), countryCode: part("country_code")?.uppercased(),
      attribution: OpenStreetMapPlaces.attribution)
  }
}
