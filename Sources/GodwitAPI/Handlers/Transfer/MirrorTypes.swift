internal import Foundation
internal import GodwitHTTP
internal import GodwitMirror
internal import GodwitRoutes
internal import GodwitStore
internal import GodwitText

extension MirrorRemoval: DocumentedValue {}
extension MirrorRemoval: ParameterValue {}

extension MirrorAPI {
  // MARK: Parameters

  /// A whole number.
  struct WholeNumber: ParameterValue {
    let value: Int64
    static func read(_ name: String, from query: QueryParameters) throws(Problem) -> Self? {
      guard let text = query.text(name) else { return nil }
      guard let value = Int64(text) else {
        throw Problem(400, "Bad argument", "\(name) is \(text.jsonQuoted); expected a whole number.", at: name)
      }
      return Self(value: value)
    }
    static func schema(in components: SchemaComponents) -> JSONValue { ["type": "integer"] }
    static var sample: Self { Self(value: 0) }
  }

  struct OriginParameters: ParameterList {
    let source: String
    let number: WholeNumber
    static let notes = originNotes
  }

  struct StoreParameters: ParameterList {
    let source: String
    let number: WholeNumber
    let name: String
    let first: WholeNumber
    let end: WholeNumber
    let removal: MirrorRemoval
    let history: Bool
    let adopt: Bool

    static let notes: [String: JSONValue] = originNotes.merging(rangeNotes) { own, _ in own }.merging([
      "name": "The newest name of the device.",
      "removal":
        "What is deleted of the range that the body does not have: nothing (`none`), records, or also events of regions (`all`).",
      "history": "Whether the records are of former times: they cause no events.",
      "adopt": "Whether an existing device of that name becomes the copy.",
    ]) { own, _ in own }

    var times: Range<Int64> { first.value..<max(first.value, end.value) }
  }

  struct ReadParameters: ParameterList {
    let device: ExportedDevice
    let first: WholeNumber
    let end: WholeNumber
    static let notes = rangeNotes

    var times: Range<Int64> { first.value..<max(first.value, end.value) }
  }

  private static let originNotes: [String: JSONValue] = [
    "source": "The name of the sending store, which it chose at random.", "number": "The number of the device in that store.",
  ]
  private static let rangeNotes: [String: JSONValue] = [
    "first": "Start (inclusive), milliseconds since 1970.", "end": "End (exclusive), milliseconds since 1970.",
  ]

  // MARK: Bodies

  /// A body with the records of a device in a time range.
  enum Batch: RawBodyContent, RawContent {
    /// The header with the end of the time range that the page covers. It is absent if the page covers the whole range.
    static let nextHeader = "Godwit-Next"
    private static let json: JSONValue = [
      "application/json": [
        "schema": [
          "type": "object", "required": ["locations"],
          "properties": ["locations": ["type": "array", "items": ["type": "object"]]],
        ]
      ]
    ]
    static func content(in components: SchemaComponents) -> JSONValue { json }
    static func content(in components: SchemaComponents) -> JSONValue? { json }
    static let headers: [String: JSONValue] = [
      nextHeader: [
        "schema": ["type": "integer"],
        "description": "The time before which the page is complete; absent: it has the whole range.",
      ]
    ]
    static let hasEntityTag = false
  }

  // MARK: Results

  struct Receipt: ResultObject {
    var saved: Int
    var duplicates: Int
    var rejected: Int
    var reason: Nullable<String>?

    static let schemaName: String? = "MirrorReceipt"
    static let notes: [String: JSONValue] = [
      "saved": ["minimum": 0], "duplicates": ["minimum": 0], "rejected": ["minimum": 0],
      "reason": "Why the first record was rejected.",
    ]
  }

  struct Deleted: ResultObject {
    @Nullable var deleted: String?
    static let schemaName: String? = "MirrorDeletion"
    static let notes: [String: JSONValue] = ["deleted": "The device that was deleted; null: there was none."]
  }

  struct State: ResultObject {
    @Nullable var url: String?
    var pendingRecords: Int
    var pendingChanges: Int
    var delay: Int
    var uncopiedDevices: Int
    var failures: Int
    @Nullable var problem: String?
    @Nullable var failed: Date?
    @Nullable var nextAttempt: Date?
    @Nullable var succeeded: Date?
    var stored: Int
    var rejected: Int

    static let schemaName: String? = "Mirror"
    static let notes: [String: JSONValue] = [
      "url": "Address of the mirror; null: there is none.",
      "pending_records": ["description": "Records that the mirror does not have yet, at most.", "minimum": 0],
      "pending_changes": ["minimum": 0],
      "delay": ["description": "Seconds since the oldest change that the mirror does not have.", "minimum": 0],
      "uncopied_devices": ["description": "Devices whose history is not yet copied.", "minimum": 0],
      "failures": ["description": "Failed attempts in a row.", "minimum": 0],
      "stored": ["description": "Records that were new at the mirror.", "minimum": 0], "rejected": ["minimum": 0],
    ]

    init(_ state: MirrorState?, at now: Date) {
      (url, problem, failed, nextAttempt, succeeded) = (
        state?.url, state?.problem, state?.failed, state?.nextAttempt, state?.succeeded
      )
      (pendingRecords, pendingChanges) = (state?.pendingRecords ?? 0, state?.pendingChanges ?? 0)
      delay = Int(clamping: Int64(state?.delay(at: now) ?? 0))
      (uncopiedDevices, failures) = (state?.uncopiedDevices ?? 0, state?.failures ?? 0)
      (stored, rejected) = (state?.sent ?? 0, state?.rejected ?? 0)
    }
  }
}
