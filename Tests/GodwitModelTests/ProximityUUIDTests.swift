import GodwitModel
import Testing

@Suite("Proximity UUIDs")
struct ProximityUUIDTests {
  @Test(
    "are read and written",
    arguments: [
      "F7826DA6-4FA2-4E98-8024-BC5B71E0893E", "00000000-0000-0000-0000-000000000000", "FFFFFFFF-FFFF-FFFF-FFFF-FFFFFFFFFFFF",
    ])
  func text(_ text: String) throws {
    let uuid = try #require(ProximityUUID(text))
    #expect(uuid.description == text)
    #expect(ProximityUUID(text.lowercased()) == uuid)
  }

  @Test("keep the order of the bytes")
  func bytes() {
    let uuid = ProximityUUID("F7826DA6-4FA2-4E98-8024-BC5B71E0893E")
    #expect(uuid == ProximityUUID(high: 0xF782_6DA6_4FA2_4E98, low: 0x8024_BC5B_71E0_893E))
  }

  @Test(
    "nothing else is accepted",
    arguments: [
      "", "F7826DA64FA24E988024BC5B71E0893E", "F7826DA6-4FA2-4E98-8024-BC5B71E0893", "G7826DA6-4FA2-4E98-8024-BC5B71E0893E",
      "F7826DA6-4FA2-4E98-8024-BC5B71E0893é", "F7826DA6+4FA2-4E98-8024-BC5B71E0893E", "F-826DA6-4FA2-4E98-8024-BC5B71E0893E",
    ])
  func rejected(_ text: String) { #expect(ProximityUUID(text) == nil) }
}
