public import Foundation
public import GodwitEngine
internal import GodwitHTTPClient
public import GodwitModel
public import GodwitWire

/// The language of an endpoint: how a batch is written and how its answer is understood. A new one is a file in
/// `Formats/` and a line in ``EndpointFormats``.
public protocol EndpointFormat: Sendable {
  /// The most records that a request can carry.
  var maximumPerRequest: Int { get }
  /// How the token is sent.
  var authentication: EndpointAuthentication { get }
  /// Whether there is a way to say a record. One that there is none for is set aside for this endpoint.
  func carries(_ record: Record) -> Bool
  /// Writes a batch.
  func message(_ batch: OutgoingBatch) -> EndpointMessage
  /// Understands an answer.
  func response(status: Int, body: [UInt8]) -> UploadResponse
}

/// What is to be written.
public struct OutgoingBatch: Sendable {
  /// Such as the format carries; none at all, when only an answer is wanted.
  public var records: [Record]
  /// The newest position, when more waits than is sent.
  public var current: Record?
  /// The trip that is going on.
  public var trip: RunningTrip?
  /// The owner's name for the device.
  public var deviceID: String
  /// The token, for a format that puts it into its words.
  public var token: String?
}

/// A request's own part; address, token and the owner's headers come to it.
public struct EndpointMessage: Sendable, Hashable {
  public var method = "POST"
  public var contentType: String?
  public var headers: [String: String] = [:]
  /// Comes to the address's query.
  public var query = ""
  public var body: [UInt8] = []
  public init() {}
}

/// How a token is sent.
public enum EndpointAuthentication: Sendable, Hashable {
  /// `Authorization: Bearer TOKEN`
  case bearer
  /// `Authorization: Basic`, the token as user name without a password; a token `NAME:PASSWORD` is both.
  case basic
}

/// What an answer means for a batch.
public enum UploadResponse: Sendable, Hashable {
  /// The server has it, but for these positions, which it will never take; and what else it said.
  case accepted(
    rejected: [Overland.Rejection] = [], settings: String? = nil, placeName: String? = nil, regions: String? = nil)
  /// The server will never take this batch as it is.
  case refused(reason: String)
  /// The server does not know who is sending.
  case unauthorized(reason: String)
  /// Not this time.
  case failed(reason: String)

  /// By the status, as servers without an answer of their own have it. A page comes from a login, a proxy or the wifi of a
  /// hotel, and says nothing of records.
  static func byStatus(_ status: Int, body: [UInt8]) -> UploadResponse {
    let isPage = HTTPClient.Answer.beginsLikePage(body)
    return switch status {
    case 200..<300 where isPage, 400 where isPage, 413 where isPage, 422 where isPage:
      .failed(reason: "The server answered with status \(status) and a page. Is the address right, and is a login needed?")
    case 200..<300: .accepted()
    case 401, 403: .unauthorized(reason: "The server answered with status \(status): is the token right?")
    // The request itself is at fault: sending the same again would give the same answer.
    case 400, 413, 422: .refused(reason: "The server answered with status \(status).")
    default: .failed(reason: "The server answered with status \(status).")
    }
  }
}

extension Overland {
  public typealias Rejection = Overland.Answer.Rejection
}

/// The formats by the names that a command line or a settings file has for them.
public enum EndpointFormats {
  public static let named: [(name: String, format: any EndpointFormat)] = [
    ("overland", OverlandFormat()),
    ("overland-app", OverlandFormat(profile: .app)),
    ("openlocate", OpenLocateFormat()),
    ("owntracks", OwnTracksFormat()),
    ("datadrop", DataDropFormat()),
    ("query", QueryStringFormat()),
  ]

  /// - Throws: ``UnknownEndpointFormat``, which names those that there are.
  public static func format(named name: String) throws(UnknownEndpointFormat) -> any EndpointFormat {
    guard let format = named.first(where: { $0.name == name })?.format else { throw UnknownEndpointFormat(name: name) }
    return format
  }
}

/// A name that no endpoint format has.
public struct UnknownEndpointFormat: Error, Sendable, Hashable, CustomStringConvertible, LocalizedError {
  public let name: String
  /// A sentence.
  public var description: String {
    let known = EndpointFormats.named.map(\.name).joined(separator: ", ")
    return "No endpoint format is called \"\(name)\"; there are \(known)."
  }
  public var errorDescription: String? { description }
}
