import Foundation
import GodwitModel
import GodwitStore
import Testing

@testable import GodwitGeofencing

@Suite("Region events of the server: stored records")
struct StoredEventTests {
  @Test("JSON of the event writer is readable by the record decoder", arguments: RegionEvent.Kind.allCases)
  func record(_ kind: RegionEvent.Kind) throws {
    let place = try #require(Coordinate(latitude: -46.050000123, longitude: 1e-7))
    var event = RegionEvent(
      time: Date(millisecondsSince1970: 1_700_000_000_123), kind: kind,
      region: RegionMention(id: "a\"b\\\n", name: "Č \u{1}", tags: ["x", "\"y\""], center: place, radius: 100.25))
    for isFull in [false, true] {
      if isFull {
        event.coordinate = place
        event.horizontalAccuracy = 7.5
        event.entered = Date(millisecondsSince1970: 1_699_999_999_001)
      }
      let record = Record(kind: .region(event), extras: #"{"source":"server"}"#)
      #expect(try EventRow.record(json: StoredEvent.record(event)) == record)
      #expect(try EventRow.record(json: EventRow(record).json()) == record)
    }
  }

  @Test("the regions that contain a device are encoded and decoded")
  func stays() throws {
    let stays = [
      RegionPresence.Stay(id: "\"", entered: -1, hasDwelled: false),
      RegionPresence.Stay(id: "b", entered: .max, hasDwelled: true),
    ]
    for some in [[], stays] {
      #expect(try JSONDecoder().decode([RegionPresence.Stay].self, from: Data(StoredEvent.stays(some).utf8)) == some)
    }
  }
}
