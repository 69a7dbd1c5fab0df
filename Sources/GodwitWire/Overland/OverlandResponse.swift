internal import Foundation
internal import GodwitText

extension Overland {
  /// A server's answer to a batch.
  public enum Response: Sendable, Hashable {
    /// It has the batch; the records that it names will never be stored.
    case accepted(Acceptance)
    /// It does not have the batch, and this is its answer.
    case rejected(String)

    public struct Acceptance: Sendable, Hashable {
      /// Positions in the batch, each with the server's reason.
      public var rejected: [Rejection] = []
      /// Records that were new to the server, if the answer has it.
      public var saved: Int?
      /// Settings to change: the text of the JSON object `set`.
      public var settings: String?
      /// `geocode.full_name`: where the server locates the device.
      public var placeName: String?
      /// `regions`: the digest of the regions that the server has for the device, where that is another one than the device
      /// had at its last sync.
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

    /// Reads an answer. Success is `{"result":"ok"}` with a status of 2xx, or any 2xx where the user chose so.
    public static func read(status: Int, body: [UInt8], acceptsAny2xx: Bool) -> Response {
      // Answers are small and rare: Foundation's parser is good enough, and gives `nil` for what is no JSON.
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

  /// Appends the server's answer.
  /// - Parameters:
  ///   - saved: records that are stored now.
  ///   - duplicates: records that were there already.
  ///   - rejected: places in the batch, from 0, of what is no valid record, and why.
  ///   - settings: changed settings for the device, as the text of a JSON object.
  ///   - error: makes it an answer that is no success, with this text for the user.
  ///   - bytes: where it is appended.
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
