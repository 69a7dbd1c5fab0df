internal import Foundation
package import GodwitHTTP
package import GodwitStore
internal import GodwitText
internal import GodwitWire

/// A protocol of uploads whose clients use only the status of the answer.
///
/// Such a protocol needs only an entry in ``all`` and a decoder. Its URL, its entry in the OpenAPI document and the retry of its
/// rejected records are derived from the entry.
package struct RecordProtocol: Sendable {
  /// Decodes the decompressed body of a request.
  typealias Read =
    @Sendable (_ body: [UInt8], _ received: Date, _ maximumRecords: Int) throws(FormatError) -> RecordBatch

  /// The name in URLs, in the API and in the store.
  package let format: RejectedRecordOrigin.Format
  /// The name of the protocol in messages.
  package let title: String
  /// The body that a client sends.
  package let body: Body
  let read: Read

  /// The body of a request, for the OpenAPI document.
  package struct Body: Sendable {
    package let contentType: String
    /// Its JSON schema.
    package let schema: JSONValue
    /// An example as a client sends it.
    package let example: JSONValue
  }

  /// The protocols without a receiver of their own.
  package static let all = [
    RecordProtocol(format: "colota", title: "Colota", body: .colota, read: Colota.read)
  ]

  /// The path of uploads: `/api/colota`.
  package var path: String { "/api/\(format.rawValue)" }

  /// The names of all protocols, with and without a receiver of their own.
  package static let formats = RejectedRecordOrigin.Format.ofReceivers + all.map(\.format)

  /// The protocol with a name; `nil` if the protocol has its own receiver or is unknown.
  package static func named(_ format: RejectedRecordOrigin.Format) -> RecordProtocol? { all.first { $0.format == format } }
}

extension RecordProtocol.Body {
  /// A location, or an array of them.
  fileprivate static let colota: Self = {
    let location: JSONValue = [
      "type": "object",
      "properties": [
        "lat": ["type": "number", "minimum": -90, "maximum": 90, "description": "Degrees."],
        "lon": ["type": "number", "minimum": -180, "maximum": 180, "description": "Degrees."],
        "tst": ["type": "number", "description": "Seconds since 1970."],
        "acc": ["type": "number", "description": "Metres."], "alt": ["type": "number", "description": "Metres."],
        "vel": ["type": "number", "description": "Metres per second."],
        "bear": ["type": "number", "description": "Degrees."], "batt": ["type": "number", "description": "Percent."],
        "bs": ["type": "integer", "description": "0 unknown, 1 unplugged, 2 charging, 3 full."],
      ], "required": ["lat", "lon", "tst"],
    ]
    return Self(
      contentType: "application/json", schema: ["oneOf": [location, ["type": "array", "items": location]]],
      example: [
        "lat": 46.0512, "lon": 14.5058, "acc": 12, "alt": 298, "vel": 1.4, "bear": 270, "batt": 85, "bs": 1, "tst": 1_795_000_000,
      ])
  }()
}
