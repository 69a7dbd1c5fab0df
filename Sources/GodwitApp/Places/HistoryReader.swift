internal import Foundation
internal import Godwit
internal import GodwitHTTPClient
internal import GodwitModel

/// Reads a device's track of a time from a Godwit server, page by page: `GET /api/v1/tracks`.
struct HistoryReader: Sendable {
  /// A page that leads to ever more pages ends here.
  static let maximumPages = 200
  /// Metres by which a line may deviate.
  static let detail = 5

  var client: HTTPClient
  /// The address of the endpoint: `https://my.example/api/overland`.
  var address: String
  var token: String
  /// Empty: every device that the token can read.
  var device: String

  enum Failure: Error {
    case noAddress, tokenRejected, noTrack
    case status(Int)
    /// The network's, as a sentence.
    case other(String)
  }

  private struct Page: Decodable {
    struct Feature: Decodable {
      struct Geometry: Decodable {
        var coordinates: [[Double]]
      }
      var geometry: Geometry
    }
    private enum CodingKeys: String, CodingKey {
      case features
      case nextCursor = "next_cursor"
    }
    var features: [Feature]
    var nextCursor: String?
  }

  /// Returns the lines of a time, in the server's order.
  func lines(from: Date, to: Date) async throws -> [[Coordinate]] {
    var lines: [[Coordinate]] = []
    var cursor: String?
    for _ in 0..<Self.maximumPages {
      let page = try await page(from, to, cursor)
      lines += page.features.map { feature in
        feature.geometry.coordinates.compactMap { numbers in
          numbers.count >= 2 ? Coordinate(latitude: numbers[1], longitude: numbers[0]) : nil
        }
      }
      guard let next = page.nextCursor, next != cursor else { return lines }
      cursor = next
    }
    return lines
  }

  private func page(_ from: Date, _ to: Date, _ cursor: String?) async throws -> Page {
    guard let url = url(from, to, cursor) else { throw Failure.noAddress }
    var request = HTTPClient.Request(method: "GET", url: url, headers: ["Authorization": "Bearer \(token)"], body: [])
    request.timeout = 30
    let response = try await client.send(request)
    switch response.status {
    case 200: break
    case 401, 403: throw Failure.tokenRejected
    default: throw Failure.status(response.status)
    }
    do { return try JSONDecoder().decode(Page.self, from: Data(response.body)) } catch {
      throw Failure.noTrack
    }
  }

  private func url(_ from: Date, _ to: Date, _ cursor: String?) -> URL? {
    guard var parts = URLComponents(string: address), let api = parts.path.range(of: "/api/", options: .backwards) else {
      return nil
    }
    parts.path = parts.path[..<api.lowerBound] + "/api/v1/tracks"
    parts.queryItems =
      [
        URLQueryItem(name: "from", value: RFC3339.string(from)), URLQueryItem(name: "to", value: RFC3339.string(to)),
        URLQueryItem(name: "detail", value: "\(Self.detail)"),
      ] + (device.isEmpty ? [] : [URLQueryItem(name: "device", value: device)])
      + (cursor.map { [URLQueryItem(name: "cursor", value: $0)] } ?? [])
    return parts.url
  }
}
