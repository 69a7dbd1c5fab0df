internal import Foundation
package import GodwitModel

/// Returns a value that a test needs.
/// - Throws: ``MissingValue`` if it is `nil`.
package func required<Value>(_ value: Value?, line: Int = #line) throws -> Value {
  guard let value else { throw MissingValue(line: line) }
  return value
}

/// A value that a test needs is `nil`.
package struct MissingValue: Error {
  package let line: Int
}

/// Returns the output of a writer as text.
package func written(_ write: (inout [UInt8]) -> Void) -> String {
  var bytes: [UInt8] = []
  write(&bytes)
  return String(decoding: bytes, as: UTF8.self)
}

/// Returns the JSON object in a text, parsed by Foundation.
package func parsed(_ text: String) throws -> [String: Any] {
  try required(try JSONSerialization.jsonObject(with: Data(text.utf8)) as? [String: Any])
}

/// Texts that break a writer that does not escape.
package let textsToEscape: [String] = [
  #"""#, #"\"#, #"\""#, "a\nb\r\tc", "\u{0}\u{1}\u{1F}\u{7F}", "\u{2028}\u{2029}", "é日本🚴🏽‍♀️", "</script>", "%41&=+?#",
  #"","latitude":0,""#, "a\u{FEFF}b", String(repeating: "\\\"", count: 500),
]

/// Numbers that are not finite, or too large for every format.
package let invalidNumbers: [Double] = [.nan, .infinity, -.infinity, 1e300, -1e19]

/// Returns a record of a fix with all fields.
package func fullRecord(
  coordinate: Coordinate? = Coordinate(latitude: 45.452595614, longitude: -14.018194094), altitude: Double? = 753.329,
  speed: Double? = 1.45
) throws -> Record {
  var context = DeviceContext(
    batteryLevel: 0.29, batteryState: .charging, motion: [.walking, .stationary], wifi: "Ho\"me", deviceID: "anna/phone",
    uniqueID: "7F3A")
  context.wifiBSSID = "aa:bb:cc:dd:ee:ff"
  context.carrier = "Mobi"
  context.deviceModel = "iPhone 15"
  context.systemVersion = "iOS 18.1"
  context.permission = .always
  context.advertising = AdvertisingID(id: "6D92078A-8246-4BA4-AE5B-76104861E7DC", isOptedOut: false)
  context.trigger = .regular
  var record = Record(
    id: RecordID(journal: 0x9F86_D081_884C_7D65, sequence: 17),
    kind: .fix(
      Fix(
        time: Date(millisecondsSince1970: 1_795_163_400_750), coordinate: try required(coordinate),
        horizontalAccuracy: 4.567, altitude: altitude, verticalAccuracy: 3.2, speed: speed, speedAccuracy: 0.42,
        course: 359.5, courseAccuracy: 3.1)), context: context)
  record.received = Date(millisecondsSince1970: 1_795_163_402_999)
  return record
}
