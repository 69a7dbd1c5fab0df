public import Foundation
public import GodwitEngine
internal import GodwitHTTPClient
public import GodwitModel
public import GodwitWire

/// The format of an endpoint: the encoding of a batch and the meaning of its responses. A new format of the package is a file in
/// this folder and an entry in ``EndpointFormats``.
public protocol EndpointFormat: Sendable {
  /// Maximum records in a request.
  var maximumPerRequest: Int { get }
  /// The authentication scheme of the token.
  var authentication: EndpointAuthentication { get }
  /// Returns whether the format can carry a record. Other records are quarantined for the endpoint.
  func carries(_ record: Record) -> Bool
  /// Encodes a batch.
  func message(_ batch: OutgoingBatch) -> EndpointMessage
  /// Interprets a response.
  func response(status: Int, body: [UInt8]) -> UploadResponse
}

/// The content of a request.
public struct OutgoingBatch: Sendable {
  /// The records that the format carries; empty if only the response is wanted.
  public var records: [Record]
  /// The newest position, if more records wait than are sent; otherwise `nil`.
  public var current: Record?
  /// The running trip; `nil`: none is running.
  public var trip: RunningTrip?
  /// The configured name of the device.
  public var deviceID: String
  /// The token, for a format that puts it into the body; `nil`: there is none.
  public var token: String?
}

/// The request of a format. The address, the token and the configured headers are added to it.
public struct EndpointMessage: Sendable, Hashable {
  public var method = "POST"
  public var contentType: String?
  public var headers: [String: String] = [:]
  /// A query that is appended to the query of the address.
  public var query = ""
  public var body: [UInt8] = []
  public init() {}
}

/// The authentication scheme of a token.
public enum EndpointAuthentication: Sendable, Hashable {
  /// `Authorization: Bearer TOKEN`
  case bearer
  /// `Authorization: Basic`. The token is the user name, without a password; a token `NAME:PASSWORD` is both.
  case basic
}

/// The meaning of a response for a batch.
public enum UploadResponse: Sendable, Hashable {
  /// The server has stored the batch, except for the rejected positions, which it rejects permanently. The other values are
  /// further content of the response.
  case accepted(
    rejected: [Overland.Rejection] = [], settings: String? = nil, placeName: String? = nil, regions: String? = nil)
  /// The server rejects this batch permanently.
  case rejected(reason: String)
  /// The server rejects the credentials.
  case unauthorized(reason: String)
  /// A temporary failure.
  case failed(reason: String)

  /// Interprets the status, for servers without a response body. A web page comes from a login, a proxy or a captive portal, and
  /// is not a response about the records.
  static func byStatus(_ status: Int, body: [UInt8]) -> UploadResponse {
    let isPage = HTTPClient.Response.beginsLikePage(body)
    return switch status {
    case 200..<300 where isPage, 400 where isPage, 413 where isPage, 422 where isPage:
      .failed(reason: "The server answered with status \(status) and a page. Is the address right, and is a login needed?")
    case 200..<300: .accepted()
    case 401, 403: .unauthorized(reason: "The server answered with status \(status): is the token right?")
    // The request is invalid. A retry would give the same response.
    case 400, 413, 422: .rejected(reason: "The server answered with status \(status).")
    default: .failed(reason: "The server answered with status \(status).")
    }
  }
}

extension Overland {
  public typealias Rejection = Overland.Response.Rejection
}

/// The formats by their names on the command line and in a settings file.
public enum EndpointFormats {
  public static let named: [(name: String, format: any EndpointFormat)] = [
    ("overland", OverlandFormat()),
    ("overland-app", OverlandFormat(profile: .app)),
    ("openlocate", OpenLocateFormat()),
    ("owntracks", OwnTracksFormat()),
    ("datadrop", DataDropFormat()),
    ("query", QueryStringFormat()),
  ]

  /// Returns a format by its name. - Throws: ``UnknownEndpointFormat``, which lists the known names.
  public static func format(named name: String) throws(UnknownEndpointFormat) -> any EndpointFormat {
    guard let format = named.first(where: { $0.name == name })?.format else { throw UnknownEndpointFormat(name: name) }
    return format
  }
}

/// The error of an unknown format name.
public struct UnknownEndpointFormat: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  public let name: String
  /// A sentence that lists the known names.
  public var description: String {
    let known = EndpointFormats.named.map(\.name).joined(separator: ", ")
    return "No endpoint format is called \"\(name)\"; there are \(known)."
  }
  public var errorDescription: String? { description }
}
