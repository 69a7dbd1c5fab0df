package import Foundation
internal import GodwitHTTP
internal import GodwitModel
package import GodwitStore
internal import GodwitText

extension ServerEvent {
  /// Returns the event of a device that went offline.
  /// - Parameters:
  ///   - device: the device.
  ///   - contact: the last contact.
  ///   - expectation: the expectation after the last contact.
  ///   - newest: the newest point of the device.
  ///   - now: the time.
  package static func offline(
    _ device: Device, since contact: Date, _ expectation: HeartbeatExpectation, newest: StoredPoint?, at now: Date
  ) -> ServerEvent {
    change("device.silent", device, since: contact, newest: newest, at: now) {
      $0.add("last_contact", contact)
      $0.add("offline_seconds", Int(now.timeIntervalSince(contact)))
      $0.add("threshold_seconds", raw: expectation.threshold.map { String(Int($0)) } ?? "null")
      $0.add("usual_seconds", raw: expectation.usual.map { String(Int($0)) } ?? "null")
      $0.add("origin", expectation.origin.rawValue)
      $0.add("text", "last contact \(HeartbeatExpectation.describe(now.timeIntervalSince(contact))) ago; \(expectation.text)")
    }
  }

  /// Returns the event of a device that is online again.
  /// - Parameters:
  ///   - device: the device.
  ///   - before: the last contact before the offline period.
  ///   - contact: the new contact.
  ///   - newest: the newest point of the device.
  package static func online(_ device: Device, silentSince before: Date, at contact: Date, newest: StoredPoint?) -> ServerEvent {
    change("device.heard", device, since: before, newest: newest, at: contact) {
      $0.add("offline_since", before)
      $0.add("offline_seconds", Int(contact.timeIntervalSince(before)))
      $0.add("text", "online again after \(HeartbeatExpectation.describe(contact.timeIntervalSince(before)))")
    }
  }

  /// Creates an event. Its identifier is derived from the offline period, so that all servers create the same identifier.
  private static func change(
    _ type: String, _ device: Device, since: Date, newest: StoredPoint?, at now: Date, _ more: (inout JSONText) -> Void
  ) -> ServerEvent {
    let name = name(of: "\(device.name)\u{1F}\(type)\u{1F}\(since.millisecondsSince1970)", at: since)
    let body = JSONText.object {
      $0.add("id", name)
      $0.add("type", type)
      $0.add("time", now)
      $0.add("device", device.name)
      more(&$0)
      if let fix = newest?.fix {
        let place = #""latitude":\#(fix.coordinate.latitude),"longitude":\#(fix.coordinate.longitude)"#
        let accuracy = fix.horizontalAccuracy.flatMap { $0.isFinite ? #","accuracy":\#($0)"# : nil } ?? ""
        $0.add("location", raw: "{\(place)\(accuracy),\"time\":\"\(RFC3339.string(fix.time))\"}")
      }
      $0.add("source", "server")
    }
    return ServerEvent(name: name, device: device, type: type, body: body)
  }
}
