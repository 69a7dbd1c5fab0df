internal import Foundation
internal import GodwitText

extension Overland {
  /// The response of a server to a batch.
  public enum Response: Sendable, Hashable {
    /// The server has stored the batch. It will never store the rejected records.
    case accepted(Acceptance)
    /// The server has not stored the batch. The value is the reason.
    case rejected(String)

    public struct Acceptance: Sendable, Hashable {
      /// The rejected records: their indices in the batch, each with the server's reason.
      public var rejected: [Rejection] = []
      /// The number of records that were new to the server; `nil` if the response does not contain it.
      public var saved: Int?
      /// The settings to change: the text of the JSON object `set`.
      public var settings: String?
      /// `geocode.full_name`: the place of the device according to the server.
      public var placeName: String?
      /// `regions`: the digest of the regions that the server has for the device, if it differs from the digest at the last
      /// synchronisation.
      public var regions: String?
    }

    public struct Rejection: Sendable, Hashable {
      public var index: Int
      public var reason: String
      public init(index: Int, reason: String) {
        self.index = index
        self.reason = reason
      }
    }

    /// Reads a response. A batch is accepted by `{"result":"ok"}` with a status 2xx, or by any status 2xx if
    /// `acceptsAny2xx`.
    public static func read(status: Int, body: [UInt8], acceptsAny2xx: Bool) -> Response {
      // Responses are small and rare, so Foundation's parser is fast enough. It returns `nil` for invalid JSON.
      let object = (try? JSONSerialization.jsonObject(with: Data(body))) as? [String: Any]
      let said = object?["error"] as? String
      guard (200..<300).contains(status) else { return .rejected(said ?? "The server answered with status \(status).") }
      guard acceptsAny2xx || object?["result"] as? String == "ok" else {
        return .rejected(
          said
            ?? "The server answered with status \(status), but not with {\"result\":\"ok\"}. Is this an Overland endpoint?"
        )
      }
      var acceptance = Acceptance()
      for entry in object?["rejected"] as? [Any] ?? [] {
        guard let entry = entry as? [String: Any], let index = entry["index"] as? Int else { continue }
        acceptance.rejected.append(Rejection(index: index, reason: entry["reason"] as? String ?? "no reason given"))
      }
      acceptance.saved = object?["saved"] as? Int
      acceptance.regions = object?["regions"] as? String
      acceptance.placeName = (object?["geocode"] as? [String: Any])?["full_name"] as? String
      if let settings = object?["set"] as? [String: Any],
        let data = try? JSONSerialization.data(withJSONObject: settings, options: [.sortedKeys])
      {
        acceptance.settings = String(decoding: data, as: UTF8.self)
      }
      return .accepted(acceptance)
    }
  }

  /// Appends the response of a server.
  /// - Parameters:
  ///   - saved: the number of stored records.
  ///   - duplicates: the number of records that were already stored.
  ///   - rejected: the indices of invalid records in the batch, from 0, with the reasons.
  ///   - settings: changed settings for the device, as the text of a JSON object.
  ///   - error: a text for the user. The response then reports a failure.
  ///   - bytes: the buffer to which the response is appended.
  public static func writeResponse(
    saved: Int, duplicates: Int, rejected: [(index: Int, reason: String)], settings: String? = nil,
    error: String? = nil, into bytes: inout [UInt8]
  ) {
    if let error {
      JSONWriter.raw(#"{"error":"#, to: &bytes)
      JSONWriter.string(error, to: &bytes)
    } else {
      JSONWriter.raw(#"{"result":"ok""#, to: &bytes)
    }
    JSONWriter.raw(#","saved":"#, to: &bytes)
    JSONWriter.number(saved, to: &bytes)
    JSONWriter.raw(#","duplicates":"#, to: &bytes)
    JSONWriter.number(duplicates, to: &bytes)
    JSONWriter.raw(#","rejected":["#, to: &bytes)
    for (position, rejection) in rejected.enumerated() {
      JSONWriter.raw(position == 0 ? #"{"index":"# : #",{"index":"#, to: &bytes)
      JSONWriter.number(rejection.index, to: &bytes)
      JSONWriter.raw(#","reason":"#, to: &bytes)
      JSONWriter.string(rejection.reason, to: &bytes)
      bytes.append(UInt8(ascii: "}"))
    }
    bytes.append(UInt8(ascii: "]"))
    if let settings {
      JSONWriter.raw(#","set":"#, to: &bytes)
      bytes.append(contentsOf: settings.utf8)
    }
    bytes.append(UInt8(ascii: "}"))
  }
}
