internal import Foundation
package import GodwitHTTP
package import GodwitModel
internal import GodwitStore
internal import GodwitText
internal import GodwitWire

/// Receives OpenLocate uploads. The SDK treats any 2xx status as success, and ignores the body of the answer.
package struct OpenLocateReceiver {
  package let receiving: Receiving

  package init(receiving: Receiving) {
    self.receiving = receiving
  }

  package func respond(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    try Intake.handle(request, receiving, "an OpenLocate request", RejectedRecordOrigin(.openlocate)) {
      (intake, body) throws(FormatError) in
      let batch = try OpenLocate.read(body, received: intake.received, maximumRecords: intake.maximumRecords)
      let records = batch.records.map { OpenLocateColumns.kept($0) }
      let rejected = batch.rejected.map { (index: $0.index, reason: "\($0.reason) (\($0.place))") }
      return intake.submit(records, batch.rejected.map { RejectedRecord($0, from: intake.origin) }) { (stored) -> HTTPResponse in
        var response: [UInt8] = []
        Overland.writeResponse(
          saved: stored.saved, duplicates: stored.duplicates, rejected: rejected,
          error: batch.broken?.interruption, into: &response)
        response.removeLast()
        response += Array(#","placeless":\#(batch.placeless)}"#.utf8)
        return .json(response, status: batch.broken?.status ?? 200)
      }
    }
  }
}

/// Keeps values of OpenLocate for which the store has no column: in the extras of a record, under OpenLocate's names.
package enum OpenLocateColumns {
  /// - Parameter record: the decoded record.
  /// - Returns: the record with these values in its extras. The advertising identifier is dropped, because the device is already
  ///   known. The opt-out flag is kept.
  package static func kept(_ record: Record) -> Record {
    var record = record
    let context = record.context
    var members: [(name: String, value: String?)] = [
      ("wifi_bssid", context.wifiBSSID?.jsonQuoted), ("carrier_name", context.carrier?.jsonQuoted),
      ("device_model", context.deviceModel?.jsonQuoted), ("os_version", context.systemVersion?.jsonQuoted),
      ("location_permission", context.permission?.rawValue.jsonQuoted),
      ("location_context", context.trigger?.rawValue.jsonQuoted),
      ("utc_timestamp_received", record.received.map { String($0.wholeSecondsSince1970) }),
    ]
    if context.advertising?.isOptedOut == true { members.append(("ad_opt_out", "true")) }
    record.context.advertising = nil
    let texts = members.compactMap { member in member.value.map { "\(member.name.jsonQuoted):\($0)" } }
    guard !texts.isEmpty else { return record }
    let others = record.extras.map { $0.dropFirst().dropLast() } ?? ""
    record.extras = "{" + texts.joined(separator: ",") + (others.isEmpty ? "" : ",\(others)") + "}"
    return record
  }
}
