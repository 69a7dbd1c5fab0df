package import Foundation
internal import GodwitDigests
internal import GodwitModel
internal import GodwitText

/// An event of a device or an account, in one form for the web pages, the API and the webhooks.
package struct ServerEvent: Sendable, Hashable {
  /// The source of the event.
  package enum Source: String, Sendable {
    case device, server
  }

  /// The permanent identifier: "evt_" and 32 hexadecimal digits, computed from the event's time and a hash of the event. After a
  /// restored backup the same event gets the same identifier.
  package let name: String
  package let device: Device
  /// `geofence.entered`, `beacon.exited`, `device.silent` and so on.
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

  /// Returns the permanent identifier of an event: "evt_", the time in milliseconds since 1970 as 12 hexadecimal digits, and the
  /// first 80 bits of SHA-256 as 20.
  ///
  /// Identifiers of about the same time are adjacent in an index. With hashes alone, each new event would change another page of the index.
  /// - Parameters:
  ///   - text: what distinguishes the event from all others.
  ///   - time: the event's time. A time before 1970 or after the year 10889 is clamped to this range.
  package static func name(of text: String, at time: Date) -> String {
    let milliseconds = min(max(time.millisecondsSince1970, 0), (1 << 48) - 1)
    let prefix = stride(from: Int64(40), through: 0, by: -8).map { UInt8(truncatingIfNeeded: milliseconds >> $0) }
    return "evt_" + Hexadecimal.text(prefix + SHA256Digest.of(Array(text.utf8), prefix: 10))
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
