public import Foundation

/// A geocoding server with Nominatim's API, such as OpenStreetMap's or your own.
///
/// The module itself sends no requests: `fetch` does. So the program decides about timeouts, caching, the rate of requests
/// (OpenStreetMap's server allows one a second), and the `User-Agent`.
public struct Nominatim: Sendable {
  /// The address of the server, without `/search` and `/reverse`.
  public var baseURL: URL
  /// Sends a `GET` request and returns the body of the response. It throws if there is no response.
  public var fetch: @Sendable (URL) async throws -> Data

  public init(baseURL: URL, fetch: @escaping @Sendable (URL) async throws -> Data) {
    self.baseURL = baseURL
    self.fetch = fetch
  }

  /// The maximum number of places in a response.
  private static let maximum = 10

  func places(at coordinate: CLLocationCoordinate2D, locale: Locale?) async throws -> [CLPlacemark] {
    let data = try await respond("reverse", ["lat": "\(coordinate.latitude)", "lon": "\(coordinate.longitude)"], locale)
    return [CLPlacemark(try read(Found.self, data))]
  }

  /// Returns the places of an address, best first.
  /// - Parameter box: the box whose places are preferred, as `west,north,east,south`; `nil`: none.
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
    // Otherwise a plus sign in a value would be decoded as a space.
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

  /// The response of the server if it found no place.
  private struct NominatimError: Decodable { var error: String }

  /// A place in the response.
  struct Found: Decodable {
    var coordinate: CLLocationCoordinate2D
    var name: String?
    var displayName: String?
    var address: [String: String]
    /// The bounding box: south, north, west, east; empty: unknown.
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
