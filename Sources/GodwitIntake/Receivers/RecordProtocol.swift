internal import Foundation
package import GodwitStore
internal import GodwitText
internal import GodwitWire

/// A protocol whose requests hold records, and whose client reads nothing of the answer but its status.
///
/// The table ``all`` is all that such a protocol needs beside its decoder: its address, its entry in the OpenAPI document and the retry of
/// its rejected records follow from it.
package struct RecordProtocol: Sendable {
  /// Reads the body of a request, decompressed.
  typealias Read =
    @Sendable (_ body: [UInt8], _ received: Date, _ maximumRecords: Int) throws(FormatError) -> RecordBatch

  /// Its name in addresses, in the API and in the store.
  package let format: RejectedRecordOrigin.Format
  /// Its name in messages.
  package let title: String
  let read: Read

  /// The protocols that have no receiver of their own.
  package static let all = [
    RecordProtocol(format: "colota", title: "Colota", read: Colota.read)
  ]

  /// Where clients send: `/api/colota`.
  package var path: String { "/api/\(format.rawValue)" }

  /// The names of all protocols: of these, and of those with a receiver of their own.
  package static let formats = RejectedRecordOrigin.Format.ofReceivers + all.map(\.format)

  /// The protocol of a name, where it has no receiver of its own.
  package static func named(_ format: RejectedRecordOrigin.Format) -> RecordProtocol? { all.first { $0.format == format } }
}
