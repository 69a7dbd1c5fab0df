import GodwitModel
import Testing

@Suite("Record identifiers")
struct RecordIDTests {
  @Test(
    "an identifier round-trips through its text", arguments: [1, 0x9F86_D081_884C_7D65, UInt64.max], [1, 17, RecordNumber.max])
  func roundTrip(_ journal: UInt64, _ sequence: RecordNumber) {
    let id = RecordID(journal: journal, sequence: sequence)
    #expect(RecordID(id.description) == id)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", "17", "9f86d081884c7d65", "9f86d081884c7d65-", "9f86d081884c7d65-0", "9f86d081884c7d65--1",
      "9F86D081884C7D65-1", "9f86d081884c7d6-17", "9f86d081884c7d65-99999999999999999999", "9f86d081884c7d65-9007199254740993",
      "9f86d081884c7d65-9223372036854775807", "9f86d081884c7d65-1x",
    ])
  func rejected(_ text: String) {
    #expect(RecordID(text) == nil)
  }
}
