internal import Foundation
internal import GodwitHTTP
package import GodwitStore
internal import GodwitText

extension StoredRejectedRecord {
  /// The record as a JSON object of the API.
  package var json: String {
    JSONText.object {
      $0.add("id", Int(id))
      $0.add("device", device.name)
      $0.add("received", received)
      $0.add("protocol", refused.origin?.language.rawValue)
      $0.add("place", refused.place)
      $0.add("reason", refused.reason)
      $0.add("raw", String(decoding: refused.raw, as: UTF8.self))
      $0.add("bytes", size)
      $0.add("cut", isCut)
      $0.add("attempts", attempts)
      $0.add("tried", tried)
      $0.add("solved", solved)
    }
  }
}
