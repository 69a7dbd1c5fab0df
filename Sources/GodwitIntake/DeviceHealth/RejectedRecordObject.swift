package import Foundation
package import GodwitHTTP
package import GodwitStore

/// A rejected record in the form of the API and of `godwit rejected --json`.
package struct RejectedRecordObject: ResultObject {
  package var id: Int64
  package var device: String
  package var received: Date
  @Nullable package var `protocol`: String?
  package var place: String
  package var reason: String
  package var raw: String
  package var bytes: Int
  package var cut: Bool
  package var attempts: Int
  @Nullable package var tried: Date?
  @Nullable package var solved: Date?

  package static let schemaName: String? = "RejectedRecord"
  package static let notes: [String: JSONValue] = [
    "protocol": [
      "enum": .array(RecordProtocol.formats.map { .string($0.rawValue) } + [.null]),
      "description": "null: unknown.",
    ],
    "place": "The place of the fault in the request.", "raw": "The record as it was received, or its beginning.",
    "bytes": ["minimum": 0, "description": "Of the whole record."], "cut": "Whether `raw` is only its beginning.",
    "attempts": ["minimum": 0, "description": "How often it was read again."],
  ]

  package init(_ record: StoredRejectedRecord) {
    (id, device, received) = (record.id, record.device.name, record.received)
    `protocol` = record.rejected.origin?.format.rawValue
    (place, reason) = (record.rejected.place, record.rejected.reason)
    raw = String(decoding: record.rejected.raw, as: UTF8.self)
    (bytes, cut, attempts) = (record.size, record.isCut, record.attempts)
    (tried, solved) = (record.tried, record.solved)
  }
}
