internal import Foundation

/// What it takes, besides its bytes, to read a refused part again.
public struct RejectedRecordOrigin: Sendable, Hashable {
  /// The protocol of a part, by its name.
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

  package var language: Format
  /// What the client calls its device, where the address or a header says it.
  package var label: String?
  /// The client's program.
  package var agent: String?
  /// How all of a body is compressed that could not be decompressed.
  package var encoding: String?
  /// It is one record of a request, and not all of it.
  package var isPart: Bool

  package init(
    _ language: Format, label: String? = nil, agent: String? = nil, encoding: String? = nil, isPart: Bool = true
  ) {
    self.language = language
    self.label = label
    self.agent = agent
    self.encoding = encoding
    self.isPart = isPart
  }

  /// The same for all of a request's body.
  package func whole(encoding: String? = nil) -> RejectedRecordOrigin {
    var origin = self
    (origin.isPart, origin.encoding) = (false, encoding)
    return origin
  }

  // MARK: In the database

  private struct Kept: Codable {
    var label: String?
    var agent: String?
    var encoding: String?
    var whole: Bool?
  }

  /// What is kept beside the language.
  package var stored: String {
    let kept = Kept(label: label, agent: agent, encoding: encoding, whole: isPart ? nil : true)
    return (try? JSONEncoder().encode(kept)).map { String(decoding: $0, as: UTF8.self) } ?? "{}"
  }

  /// - Parameters:
  ///   - language: the protocol's name; `nil` gives nothing.
  ///   - stored: what ``stored`` was.
  package init?(language: String?, stored: String?) {
    guard let known = language.map({ Format(rawValue: $0) }) else { return nil }
    let kept = stored.flatMap { try? JSONDecoder().decode(Kept.self, from: Data($0.utf8)) }
    self.init(known, label: kept?.label, agent: kept?.agent, encoding: kept?.encoding, isPart: kept?.whole != true)
  }
}
