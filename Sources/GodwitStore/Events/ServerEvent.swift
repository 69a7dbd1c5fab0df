internal import GodwitDigests
internal import GodwitText

/// An event of a device or an account, in one form for the page, the API and the webhooks.
package struct ServerEvent: Sendable, Hashable {
  /// The source of the event.
  package enum Source: String, Sendable {
    case device, server
  }

  /// The permanent identifier: "evt_" and 32 digits, a hash of the event. After a restored backup the same event gets
  /// the same identifier.
  package let name: String
  package let device: Device
  /// `geofence.entered`, `beacon.exited`, `device.offline` and so on.
  package let type: String
  /// The identifier and the tags of its region; empty if it has none.
  package let region: String
  package let tags: [String]
  /// The event as JSON.
  package let body: String

  /// - Parameters:
  ///   - name: the permanent identifier.
  ///   - device: the device.
  ///   - type: the type of the event.
  ///   - region: the identifier of its region; empty if it has none.
  ///   - tags: the tags of its region.
  ///   - body: a JSON object.
  package init(name: String, device: Device, type: String, region: String = "", tags: [String] = [], body: String) {
    self.name = name
    self.device = device
    self.type = type
    self.region = region
    self.tags = tags
    self.body = body
  }

  /// The first 128 bits of SHA-256.
  package static func name(of text: String) -> String {
    "evt_" + Hexadecimal.text(SHA256Digest.of(Array(text.utf8), prefix: 16))
  }
}

/// The key of the new events of a submission.
private enum EventsKey: ByProductKey {
  static let initial: [ServerEvent] = []
}

extension SubmissionResult {
  /// The new events of regions: from the device, and from the evaluation of its positions.
  package var regionEvents: [ServerEvent] {
    get { byProducts[EventsKey.self] }
    set { byProducts[EventsKey.self] = newValue }
  }
}
