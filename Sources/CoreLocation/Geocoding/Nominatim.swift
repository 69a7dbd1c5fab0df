public import Foundation

/// A geocoding server with Nominatim's API, such as OpenStreetMap's or your own.
///
/// The module itself has no network: `fetch` brings the answers, so the program decides on time limits, caching, how often
/// is too often (OpenStreetMap's own server: once a second), and what it says of itself.
public struct Nominatim: Sendable {
  /// Without `/search` and `/reverse`.
  public var baseURL: URL
  /// Gets the answer to a `GET`; throws when there is none.
  public var fetch: @Sendable (URL) async throws -> Data

  public init(baseURL: URL, fetch: @escaping @Sendable (URL) async throws -> Data) {
    self.baseURL = baseURL
    self.fetch = fetch
  }

  /// The most places of an answer.
  private static let maximum = 10

  func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [CLPlacemark] {
    let data = try await respond("reverse", ["lat": "\(coordinate.latitude)", "lon": "\(coordinate.longitude)"], locale)
    return [CLPlacemark(try read(Found.self, data))]
  }

  /// - Parameter box: within which places are searched first: west, north, east, south.
  func places(named address: String, locale: Locale?, box: String?) async throws -> [CLPlacemark] {
    var items = ["q": address, "limit": "\(Self.maximum)"]
    items["viewbox"] = box
    let places = try read([Found].self, try await respond("search", items, locale)).map(CLPlacemark.init)
    guard !places.isEmpty else { throw Self.nothing }
    return places
  }

  private static let nothing = CLError(.geocodeFoundNoResult, reason: "The place was not found.")

  private func respond(_ path: String, _ items: [String: String], _ locale: Locale?) async throws -> Data {
    var items = items
    items["format"] = "jsonv2"
    items["addressdetails"] = "1"
    items["accept-language"] = locale?.identifier.replacingOccurrences(of: "_", with: "-")
    guard var parts = URLComponents(url: baseURL.appendingPathComponent(path), resolvingAgainstBaseURL: true) else {
      throw CLError(.network, reason: "\(baseURL) is not an address of a server.")
    }
    parts.queryItems = items.sorted { $0.key < $1.key }.map { URLQueryItem(name: $0.key, value: $0.value) }
    // A plus would be read as a space.
    parts.percentEncodedQuery = parts.percentEncodedQuery?.replacingOccurrences(of: "+", with: "%2B")
    guard let url = parts.url else { throw CLError(.network, reason: "\(baseURL) is not an address of a server.") }
    do {
      return try await fetch(url)
    } catch let error as CLError {
      throw error
    } catch {
      throw CLError(.network, reason: "\(baseURL.host ?? "The server") does not answer: \(error)")
    }
  }

  private func read<Value: Decodable>(_ type: Value.Type, _ data: Data) throws -> Value {
    if (try? JSONDecoder().decode(NominatimError.self, from: data)) != nil { throw Self.nothing }
    do {
      return try JSONDecoder().decode(type, from: data)
    } catch {
      throw CLError(.network, reason: "\(baseURL.host ?? "The server") does not respond like a Nominatim server.")
    }
  }

  /// What it says instead of a place.
  private struct NominatimError: Decodable { var error: String }

  /// A place in the response.
  struct Found: Decodable {
    var coordinate: CLLocationCoordinate2D
    var name: String?
    var displayName: String?
    var address: [String: String]
    /// South, north, west, east.
    var box: [Double]

    private enum Keys: String, CodingKey {
      case lat, lon, name
      case displayName = "display_name"
      case address, boundingbox
    }

    init(from decoder: any Decoder) throws {
      let values = try decoder.container(keyedBy: Keys.self)
      guard let latitude = Double(try values.decode(String.self, forKey: .lat)),
        let longitude = Double(try values.decode(String.self, forKey: .lon)),
        abs(latitude) <= 90, abs(longitude) <= 180
      else { throw DecodingError.dataCorruptedError(forKey: .lat, in: values, debugDescription: "not a valid coordinate") }
      coordinate = CLLocationCoordinate2D(latitude: latitude, longitude: longitude)
      name = try values.decodeIfPresent(String.self, forKey: .name)
      displayName = try values.decodeIfPresent(String.self, forKey: .displayName)
      address = try values.decodeIfPresent([String: String].self, forKey: .address) ?? [:]
      box = try values.decodeIfPresent([String].self, forKey: .boundingbox)?.compactMap(Double.init) ?? []
    }
  }
}
