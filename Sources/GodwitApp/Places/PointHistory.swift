internal import Foundation
internal import GodwitHTTPClient
internal import GodwitModel

/// Reads the positions of a device from a Godwit server page by page: `GET /api/v1/points`.
struct PointHistory: Sendable {
  /// Positions per page; fewer if a page is larger than ``maximumBytes``.
  static let pageSize = 2000
  static let maximumBytes = 4 << 20
  /// Limits for a server whose pages never end, and for days with too many positions.
  static let maximumPages = 150
  static let maximumPoints = 200_000
  private static let maximumCursorLength = 1000

  var client: HTTPClient
  /// The address of the endpoint, without placeholders: `https://my.example/api/overland`.
  var address: URL
  /// A token for reading. The token of a device cannot read.
  var token: String
  /// The device's name on the server; `nil`: every device that the token can read.
  var device: String?

  enum Failure: Error, Hashable {
    case noAddress
    /// The token is wrong, revoked, or that of a device.
    case rejected
    /// With the server's reason, if it sent one.
    case status(Int, String?)
    case notPoints
    case tooLarge
    /// There was no response; with the network's error message.
    case offline(String)
  }

  struct Result: Sendable, Hashable {
    var points: [DayPoint] = []
    /// Whether the day has more positions than were read.
    var isCut = false
  }

  /// Returns the positions of a period, in the server's order.
  func points(from: Date, to: Date) async throws(Failure) -> Result {
    var result = Result()
    var (cursor, size) = (String?.none, Self.pageSize)
    for _ in 0..<Self.maximumPages {
      let body = try await response("/api/v1/points", query(from, to, cursor, size))
      if body.count >= Self.maximumBytes {
        guard size > 1 else { throw .tooLarge }
        size = max(1, size / 4)
        continue
      }
      guard let page = try? JSONDecoder().decode(Page.self, from: Data(body)) else { throw .notPoints }
      result.points += page.features.compactMap { $0.point(from: from, to: to) }
      guard let next = page.nextCursor else { return result }
      guard next != cursor, !next.isEmpty, next.utf8.count <= Self.maximumCursorLength else { throw .notPoints }
      if result.points.count >= Self.maximumPoints { break }
      cursor = next
    }
    result.isCut = true
    return result
  }

  /// Maximum vertices of an overview that are drawn.
  static let maximumVertices = 100_000

  /// Returns the simplified lines of all time in a part of the map.
  /// - Parameters:
  ///   - area: the part of the map.
  ///   - zoom: 0…22; at 0 the world is 256 points wide.
  func overview(_ area: MapArea, zoom: Double) async throws(Failure) -> [[Coordinate]] {
    let edges = [area.west, area.south, area.east, area.north].map { "\(($0 * 1e6).rounded() / 1e6)" }
    var items = [
      URLQueryItem(name: "bbox", value: edges.joined(separator: ",")), URLQueryItem(name: "zoom", value: "\(zoom)"),
    ]
    if let device { items.append(URLQueryItem(name: "device", value: device)) }
    let body = try await response("/api/v1/overview", items)
    guard body.count < Self.maximumBytes else { throw .tooLarge }
    guard let overview = try? JSONDecoder().decode(Overview.self, from: Data(body)) else { throw .notPoints }
    var left = Self.maximumVertices
    return overview.features.flatMap(\.geometry.coordinates).compactMap { line in
      let places = line.compactMap { $0.count >= 2 ? Coordinate(latitude: $0[1], longitude: $0[0]) : nil }
      left -= places.count
      return places.isEmpty || left < 0 ? nil : places
    }
  }

  private struct Overview: Decodable {
    struct Feature: Decodable { var geometry: Geometry }
    struct Geometry: Decodable { var coordinates: [[[Double]]] }
    var features: [Feature]
  }

  /// Returns the device's name on the server for the token of a device; `nil`: unknown.
  func deviceName(token: String) async -> String? {
    var own = self
    own.token = token
    guard let body = try? await own.response("/api/overland", []) else { return nil }
    struct Reply: Decodable { var name: String }
    let name = (try? JSONDecoder().decode(Reply.self, from: Data(body)))?.name
    return name.flatMap { $0.isEmpty || $0.utf8.count > Self.maximumCursorLength ? nil : $0 }
  }

  private func query(_ from: Date, _ to: Date, _ cursor: String?, _ size: Int) -> [URLQueryItem] {
    var items = [
      URLQueryItem(name: "from", value: RFC3339.string(from)), URLQueryItem(name: "to", value: RFC3339.string(to)),
      URLQueryItem(name: "limit", value: "\(size)"),
    ]
    if let device { items.append(URLQueryItem(name: "device", value: device)) }
    if let cursor { items.append(URLQueryItem(name: "cursor", value: cursor)) }
    return items
  }

  // MARK: Requests

  /// Returns the body of a response with status 200.
  func response(_ path: String, _ query: [URLQueryItem]) async throws(Failure) -> [UInt8] {
    guard let url = url(path, query) else { throw .noAddress }
    var request = HTTPClient.Request(
      method: "GET", url: url, headers: ["Authorization": "Bearer \(token)", "User-Agent": "Godwit/\(Version.current)"],
      timeout: 30)
    request.maximumResponseSize = Self.maximumBytes
    let response: HTTPClient.Response
    do { response = try await client.send(request) } catch { throw .offline("\(error)") }
    switch response.status {
    case 200: return response.body
    case 401, 403: throw .rejected
    default: throw .status(response.status, Self.detail(response.body))
    }
  }

  private func url(_ path: String, _ query: [URLQueryItem]) -> URL? {
    guard var parts = URLComponents(url: address, resolvingAgainstBaseURL: true), parts.host?.isEmpty == false,
      let api = parts.path.range(of: "/api/", options: .backwards)
    else { return nil }
    parts.path = parts.path[..<api.lowerBound] + path
    (parts.user, parts.password, parts.fragment) = (nil, nil, nil)
    parts.queryItems = query.isEmpty ? nil : query
    // Otherwise a plus sign in a name would be decoded as a space.
    parts.percentEncodedQuery = parts.percentEncodedQuery?.replacing("+", with: "%2B")
    return parts.url
  }

  /// The `detail` of a problem (RFC 9457) as a short line.
  private static func detail(_ body: [UInt8]) -> String? {
    struct Problem: Decodable { var detail: String? }
    let text = (try? JSONDecoder().decode(Problem.self, from: Data(body.prefix(8192))))?.detail
    return text.map { String($0.filter { !$0.isNewline }.prefix(200)) }
  }
}

extension PointHistory {
  private struct Page: Decodable {
    private enum CodingKeys: String, CodingKey {
      case features
      case nextCursor = "next_cursor"
    }
    var features: [Feature]
    var nextCursor: String?
  }

  /// A feature of a page. A feature that is not a position in the period is skipped, because a newer server may have other features.
  private struct Feature: Decodable {
    private enum CodingKeys: CodingKey { case geometry, properties }
    private struct Geometry: Decodable { var coordinates: [Double] }
    private struct Properties: Decodable {
      private enum CodingKeys: String, CodingKey {
        case timestamp
        case accuracy = "horizontal_accuracy"
      }
      var timestamp: String
      var accuracy: Double?

      init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: CodingKeys.self)
        timestamp = try members.decode(String.self, forKey: .timestamp)
        accuracy = try? members.decode(Double.self, forKey: .accuracy)
      }
    }
    private var geometry: Geometry?
    private var properties: Properties?

    init(from decoder: any Decoder) throws {
      let members = try decoder.container(keyedBy: CodingKeys.self)
      geometry = try? members.decode(Geometry.self, forKey: .geometry)
      properties = try? members.decode(Properties.self, forKey: .properties)
    }

    func point(from: Date, to: Date) -> DayPoint? {
      guard let numbers = geometry?.coordinates, numbers.count >= 2, let properties,
        let coordinate = Coordinate(latitude: numbers[1], longitude: numbers[0]), let time = RFC3339.date(properties.timestamp),
        time >= from, time < to
      else { return nil }
      return DayPoint(time: time, coordinate: coordinate, accuracy: properties.accuracy)
    }
  }
}

extension AppTexts {
  /// The reason why the history could not be read, as a sentence.
  func callAsFunction(_ failure: PointHistory.Failure) -> String {
    switch failure {
    case .noAddress: self(.historyNoAddress)
    case .rejected: self(.historyTokenRejected)
    case .status(let status, let detail): self(.historyStatus, "\(status)") + (detail.map { " \($0)" } ?? "")
    case .notPoints: self(.historyNoTrack)
    case .tooLarge: self(.historyTooLarge)
    case .offline(let reason): "\(self(.historyOffline)) \(reason)"
    }
  }
}
