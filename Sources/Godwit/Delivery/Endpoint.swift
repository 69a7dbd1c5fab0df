public import Foundation
public import GodwitEngine

/// Where records go.
public struct Endpoint: Sendable, CustomStringConvertible {
  /// Names the cursor in the journal: keep it, whatever else changes.
  public var id: EndpointID
  public var url: URL
  /// Further headers, such as those of a proxy in front of the server.
  public var headers: [String: String]
  /// Sent as `Authorization: Bearer`.
  public var token: String?
  public var format: any EndpointFormat
  /// Seconds without an answer after which an upload has failed.
  public var timeout: Double = 60

  public init(
    id: EndpointID, url: URL, token: String? = nil, headers: [String: String] = [:],
    format: any EndpointFormat = OverlandFormat()
  ) {
    self.id = id
    self.url = url
    self.token = token
    self.headers = headers
    self.format = format
  }

  /// Without token, headers and the address's query, which may be secrets.
  public var description: String {
    "\(id) (\(url.scheme ?? "")://\(url.host ?? "")\(url.port.map { ":\($0)" } ?? "")\(url.path))"
  }
}
