internal import Foundation
internal import GodwitIntake
internal import GodwitStore

extension RecordProtocol {
  /// The paths and the names of all protocols of the table, as a fragment.
  static let openAPIFragment: (room: String, bytes: [UInt8]) = {
    let paths = all.map { sender -> (String, Any) in
      let body: [String: Any] = ["required": true, "content": ["application/json": ["schema": ["type": "object"]]]]
      let stored = "It is stored. What is not a record is stored as a rejected one."
      let operation: [String: Any] = [
        "operationId": sender.format.rawValue, "requestBody": body, "responses": ["200": ["description": stored]],
      ]
      return (sender.path, ["post": operation])
    }
    let names: [String: Any] = ["type": "string", "enum": formats.map(\.rawValue)]
    let object: [String: Any] = [
      "paths": Dictionary(uniqueKeysWithValues: paths), "components": ["schemas": ["ProtocolName": names]],
    ]
    // Strings and dictionaries can be encoded as JSON.
    return ("records", (try? JSONSerialization.data(withJSONObject: object)).map(Array.init) ?? [])
  }()
}
