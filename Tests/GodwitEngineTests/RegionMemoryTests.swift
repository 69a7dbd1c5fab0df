import Foundation
import GodwitEngine
import Testing

@Suite("The stored state of regions")
struct RegionMemoryTests {
  @Test("has the keys of earlier versions, so that an update of the app can read the state of each region")
  func names() throws {
    let object = try JSONSerialization.jsonObject(with: JSONEncoder().encode(RegionWatch())) as? [String: Any]
    // Optional members (lastFix, quiet, wantedFix, lookAgain, rest, toldTimer, toldAccuracy) are absent while they are nil.
    #expect(
      Set(try #require(object).keys) == [
        "limits", "plan", "monitored", "stays", "signals", "heard", "lost", "ranging", "met", "around", "refusals", "asked",
        "seen", "disputed", "lookedAnew", "left", "speed", "zones", "foreign", "canMonitor",
      ])
  }
}
