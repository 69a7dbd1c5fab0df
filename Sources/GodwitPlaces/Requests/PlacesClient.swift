internal import Foundation
internal import GodwitHTTPClient
internal import GodwitModel

/// Sends requests to one service and decodes the responses. Each error status becomes a ``PlacesError``. Errors contain no secrets.
struct PlacesClient: Sendable {
  /// Name of the service, for example "Google Places".
  let service: String
  let address: ServiceAddress
  let client: HTTPClient
  /// Secrets to remove from errors.
  let secrets: [ServiceKey]
  /// Returns a more specific error code from the body of an error response; `nil` to use the code of the status.
  let classify: @Sendable (APIErrorBody) -> PlacesError.Code?

  init(
    service: String, address: ServiceAddress, client: HTTPClient, secrets: [ServiceKey] = [],
    classify: @escaping @Sendable (APIErrorBody) -> PlacesError.Code? = { _ in nil }
  ) {
    self.service = service
    self.address = address
    self.client = client
    self.secrets = secrets
    self.classify = classify
  }

  /// Seconds, longer than Overpass's own timeout of 25 s.
  static let timeout: Double = 30

  /// Sends a request and decodes the response.
  /// - Parameters:
  ///   - point: The requested position, which is removed from errors.
  ///   - path: Path relative to the service's address, starting with a slash.
  ///   - query: Query parameters, which this function percent-encodes.
  /// - Throws: ``PlacesError``, or `CancellationError`.
  func ask<Response: Decodable>(
    _ type: Response.Type, about point: LookupPoint, method: String = "GET", path: String,
    query: [(name: String, value: String)] = [], headers: [String: String] = [:], body: [UInt8] = []
  ) async throws -> Response {
    guard let url = address.url(path, query) else {
      throw PlacesError(.invalidSetup, service: service, reason: "the address of the service is not valid for requests")
    }
    var headers = headers
    headers["Accept"] = "application/json"
    let request = HTTPClient.Request(method: method, url: url, headers: headers, body: body, timeout: Self.timeout)
    let response: HTTPClient.Response
    do { response = try await client.send(request) } catch {
      try Task.checkCancellation()
      if error is CancellationError { throw error }
      throw fault(.unreachable, "there was no response", detail: error.localizedDescription, about: point)
    }
    guard (200..<300).contains(response.status) else { throw failure(response, about: point) }
    return try decode(type, response, about: point)
  }

  /// Creates an error from a fault that the service reported, or from an invalid response.
  func fault(
    _ code: PlacesError.Code, _ what: String, detail: String? = nil, advice: String? = nil, status: Int? = nil,
    retryAfter: Double? = nil, about point: LookupPoint
  ) -> PlacesError {
    let detail = detail.flatMap { ServiceMessage.safe($0, hiding: secrets.map(\.value) + point.spellings) }
    return PlacesError(
      code, service: service, host: address.host, status: status, retryAfter: retryAfter,
      reason: detail.map { "\(what): \($0)" } ?? what, advice: advice)
  }

  private func failure(_ response: HTTPClient.Response, about point: LookupPoint) -> PlacesError {
    let errorBody = (try? JSONDecoder().decode(APIErrorBody.self, from: Data(response.body))) ?? APIErrorBody()
    let retryAfter = response.retryAfter(now: Date())
    let status = response.status
    if (300..<400).contains(status) {
      let target = response.headers["location"].flatMap { URL(string: $0)?.host }.map { " to \($0)" } ?? ""
      return fault(
        .rejected, "it redirects\(target) (status \(status))", advice: "Use the address that it redirects to.",
        status: status, about: point)
    }
    let code: PlacesError.Code
    if let finer = classify(errorBody) {
      code = finer
    } else {
      switch status {
      case 401, 403: code = .unauthorized
      case 429: code = .limitReached
      case 500...: code = .failed
      default: code = .rejected
      }
    }
    let what =
      switch code {
      case .unauthorized: "it rejects the key or the token"
      case .limitReached: "the limit of requests is reached"
      case .failed: "it failed"
      default: "it rejects the request"
      }
    return fault(
      code, "\(what) (status \(status))", detail: errorBody.message, status: status, retryAfter: retryAfter, about: point)
  }

  private func decode<Response: Decodable>(
    _ type: Response.Type, _ response: HTTPClient.Response, about point: LookupPoint
  ) throws(PlacesError) -> Response {
    func unreadable(_ what: String) -> PlacesError {
      fault(.unreadable, what, status: response.status, about: point)
    }
    guard !response.body.isEmpty else { throw unreadable("the response is empty") }
    do { return try JSONDecoder().decode(type, from: Data(response.body)) } catch DecodingError.dataCorrupted(let context)
      where context.codingPath.isEmpty
    {
      throw unreadable("the response is not JSON, or was truncated")
    } catch DecodingError.keyNotFound(let key, let context) {
      throw unreadable("the response has no member \(Self.path(context.codingPath + [key]))")
    } catch DecodingError.typeMismatch(_, let context), DecodingError.valueNotFound(_, let context),
      DecodingError.dataCorrupted(let context)
    {
      throw unreadable("the response's \(Self.path(context.codingPath)) has an unexpected value")
    } catch {
      throw unreadable("the response cannot be read")
    }
  }

  /// Returns a JSON path: `$.places[0].id`.
  private static func path(_ keys: [any CodingKey]) -> String {
    keys.reduce("$") { path, key in key.intValue.map { "\(path)[\($0)]" } ?? "\(path).\(key.stringValue)" }
  }
}
