/// A secret key, token or identifier. Descriptions redact it.
struct ServiceKey: Sendable, CustomStringConvertible, CustomDebugStringConvertible, CustomReflectable {
  let value: String

  /// - Parameter name: Name of the secret in errors, for example "the key".
  /// - Throws: ``PlacesError`` if the value is empty or cannot be part of a header.
  init(_ value: String, name: String, service: String) throws(PlacesError) {
    guard !value.isEmpty else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "\(name) is empty", advice: "Use the one that the service issued.")
    }
    guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
      throw PlacesError(
        .invalidSetup, service: service, reason: "\(name) contains a space, a line break or a character outside ASCII",
        advice: "Use it exactly as the service issued it.")
    }
    self.value = value
  }

  var description: String { "<redacted>" }
  var debugDescription: String { description }
  var customMirror: Mirror { Mirror(self, children: []) }
}
