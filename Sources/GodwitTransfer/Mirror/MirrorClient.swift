internal import Foundation
package import GodwitHTTPClient
package import GodwitMirror
package import GodwitModel
package import GodwitStore
internal import GodwitText
internal import GodwitWire

/// The error of a request to the mirror.
package struct MirrorError: Error, CustomStringConvertible {
  /// The reason as a sentence.
  package let description: String
  /// Seconds to wait, from the response's `Retry-After`.
  package var retryAfter: Double?
}

/// Sends requests to a mirror, which is another server.
package struct MirrorClient: Sendable {
  /// The response to a page.
  package struct Receipt: Decodable, Sendable {
    package let saved: Int
    package let rejected: Int
    /// The reason why the first record was rejected; `nil`: none was.
    package let reason: String?
  }

  private let options: MirrorOptions
  private let network: HTTPClient
  /// Maximum bytes of a response with records.
  private static let maximumPage = 256 << 20

  package init(_ options: MirrorOptions, network: HTTPClient = .live()) { (self.options, self.network) = (options, network) }

  /// Sends all records of a device in a range of times.
  /// - Parameters:
  ///   - records: the records.
  ///   - device: the device.
  ///   - source: the random identifier of this store.
  ///   - times: the range, milliseconds since 1970.
  ///   - removal: the records that the mirror deletes in the range.
  ///   - isHistory: whether the records are historical, and were not uploaded by a connected device.
  package func send(
    _ records: [Record], of device: MirrorTables.MirroredDevice, from source: String, _ times: Range<Int64>,
    removal: MirrorRemoval, isHistory: Bool
  ) async throws -> Receipt {
    var body: [UInt8] = []
    Overland.write(records, profile: .precise, into: &body)
    let items = [
      ("source", source), ("number", String(device.device)), ("name", device.name), ("first", String(times.lowerBound)),
      ("end", String(times.upperBound)), ("removal", removal.rawValue), ("history", String(isHistory)),
      ("adopt", String(options.adoptsDevices)),
    ]
    let response = try await send("POST", "records", items, body)
    guard let receipt = try? JSONDecoder().decode(Receipt.self, from: Data(response.body)) else {
      throw MirrorError(description: "\(options.url) does not answer as a Godwit server. Check the address.")
    }
    return receipt
  }

  /// Deletes a device at the mirror that was deleted at this server.
  package func delete(_ device: Int64, of source: String) async throws {
    _ = try await send("DELETE", "devices", [("source", source), ("number", String(device))])
  }

  /// Reads a part of a device's history.
  /// - Parameters:
  ///   - name: the name of the device.
  ///   - times: the range in milliseconds since 1970.
  /// - Returns: the records, and the time before which they are complete; `nil`: the whole range is complete.
  package func records(of name: String, _ times: Range<Int64>) async throws -> (records: [Record], next: Int64?) {
    let items = [("device", name), ("first", String(times.lowerBound)), ("end", String(times.upperBound))]
    let response = try await send("GET", "records", items)
    do {
      let read = try Overland.read(response.body)
      guard read.rejected.isEmpty, read.broken == nil else { throw MirrorError(description: "") }
      let next = response.headers["godwit-next"].flatMap { Int64($0) }
      // A server that names the same time again would be asked without an end.
      if let next, next <= times.lowerBound { throw MirrorError(description: "") }
      return (read.records, next.flatMap { $0 < times.upperBound ? $0 : nil })
    } catch { throw MirrorError(description: "\(options.url) does not answer with records. Check the address.") }
  }

  private func send(
    _ method: String, _ path: String, _ items: [(name: String, value: String)], _ body: [UInt8] = []
  ) async throws -> HTTPClient.Response {
    guard let url = URL(string: "\(options.url)/api/v1/mirror/\(path)?\(QueryString.encoded(items))") else {
      throw MirrorError(description: "\(options.url) is not a valid address.")
    }
    var request = HTTPClient.Request(
      method: method, url: url,
      headers: ["Authorization": "Bearer \(options.token)", "User-Agent": "godwit/\(Version.current)"], body: body)
    if !body.isEmpty { request.headers["Content-Type"] = "application/json" }
    request.timeout = 120
    request.connectTimeout = 10
    if method == "GET" { request.maximumResponseSize = Self.maximumPage }
    let response = try await network.send(request)
    guard (200..<300).contains(response.status) else { throw Self.error(response, url: options.url) }
    return response
  }

  /// The members of a problem (RFC 9457).
  private struct ReportedProblem: Decodable {
    var title: String?
    var detail: String?
  }

  private static func error(_ response: HTTPClient.Response, url: String) -> MirrorError {
    let problem = try? JSONDecoder().decode(ReportedProblem.self, from: Data(response.body))
    let reason = problem?.detail ?? problem?.title ?? "The server is older, or the address is not that of a Godwit server."
    let retryAfter = response.headers["retry-after"].flatMap { Double($0) }
    return MirrorError(description: "\(url) answered \(response.status): \(reason.prefix(400))", retryAfter: retryAfter)
  }
}
