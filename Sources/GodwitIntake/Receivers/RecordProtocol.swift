internal import Foundation
package import GodwitStore
internal import GodwitText
internal import GodwitWire

/// A protocol of uploads whose client uses only the status of the answer.
///
/// An entry in ``all`` and a decoder are enough for such a protocol: its URL, its entry in the OpenAPI document and the
/// retry of its rejected records follow from the entry.
package struct RecordProtocol: Sendable {
  /// Decodes the decompressed body of a request.
  typealias Read =
    @Sendable (_ body: [UInt8], _ received: Date, _ maximumRecords: Int) throws(FormatError) -> RecordBatch

  /// The name in URLs, in the API and in the store.
  package let format: RejectedRecordOrigin.Format
  /// Its name in messages.
  package let title: String
  let read: Read

  /// The protocols without an own receiver.
  package static let all = [
    RecordProtocol(format: "colota", title: "Colota", read: Colota.read)
  ]

  /// The path of uploads: `/api/colota`.
  package var path: String { "/api/\(format.rawValue)" }

  /// The names of all protocols, with and without an own receiver.
  package static let formats = RejectedRecordOrigin.Format.ofReceivers + all.map(\.format)

  /// The protocol of a name, if it has no own receiver.
  package static func named(_ format: RejectedRecordOrigin.Format) -> RecordProtocol? { all.first { $0.format == format } }
}
