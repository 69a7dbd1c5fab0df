internal import Foundation

/// What is needed, besides its bytes, to decode a rejected record again.
public struct RejectedRecordOrigin: Sendable, Hashable {
  /// The name of a record's protocol.
  package struct Format: RawRepresentable, ExpressibleByStringLiteral, Sendable, Hashable {
    package let rawValue: String

    package init(rawValue: String) { self.rawValue = rawValue }
    package init(stringLiteral name: String) { rawValue = name }

    package static let overland: Format = "overland"
    package static let openlocate: Format = "openlocate"
    package static let owntracks: Format = "owntracks"
    package static let osmand: Format = "osmand"
    package static let gpslogger: Format = "gpslogger"

    /// The protocols with a receiver of their own.
    package static let ofReceivers: [Format] = [.overland, .openlocate, .owntracks, .osmand, .gpslogger]
  }

  package var format: Format
  /// The name that the client uses for its device, from the URL or a header.
  package var label: String?
  /// The client's program, from its user agent.
  package var agent: String?
  /// The compression of a body that could not be decompressed.
  package var encoding: String?
  /// Whether the rejected part is one record of a request, and not the whole body.
  package var isPart: Bool

  package init(
    _ format: Format, label: String? = nil, agent: String? = nil, encoding: String? = nil, isPart: Bool = true
  ) {
    self.format = format
    self.label = label
    self.agent = agent
    self.encoding = encoding
    self.isPart = isPart
  }

  /// Returns the origin for the whole body of the request.
  package func whole(encoding: String? = nil) -> RejectedRecordOrigin {
    var origin = self
    (origin.isPart, origin.encoding) = (false, encoding)
    return origin
  }

  // MARK: In the database

  private struct StoredOrigin: Codable {
    var label: String?
    var agent: String?
    var encoding: String?
    var whole: Bool?
  }

  /// The JSON that is stored beside the format.
  package var stored: String {
    let kept = StoredOrigin(label: label, agent: agent, encoding: encoding, whole: isPart ? nil : true)
    return (try? JSONEncoder().encode(kept)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// - Parameters:
  ///   - format: the protocol's name; `nil` returns `nil`.
  ///   - stored: a former value of ``stored``.
  package init?(format: String?, stored: String?) {
    guard let known = format.map({ Format(rawValue: $0) }) else { return nil }
    let kept = stored.flatMap { try? JSONDecoder().decode(StoredOrigin.self, from: Data($0.utf8)) }
    self.init(known, label: kept?.label, agent: kept?.agent, encoding: kept?.encoding, isPart: kept?.whole != true)
  }
}
