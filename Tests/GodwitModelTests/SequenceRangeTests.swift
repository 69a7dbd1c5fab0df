import GodwitModel
import Testing

@Suite("Ranges of sequence numbers")
struct SequenceRangeTests {
  @Test(
    "a range round-trips through its text",
    arguments: [
      "9f86d081884c7d65 17-516", "0000000000000001 1-1", "ffffffffffffffff 1-1099511627776",
      "9f86d081884c7d65 17-516; since=1", "9f86d081884c7d65 17-17; since=17",
    ])
  func roundTrip(_ text: String) {
    #expect(SequenceRange(text)?.description == text)
  }

  @Test(
    "any other text is rejected",
    arguments: [
      "", " ", ";", "17-516", "9f86d081884c7d65", "9f86d081884c7d65 17", "9f86d081884c7d65 17-", "9f86d081884c7d65 -17",
      "9f86d081884c7d65 17-16", "9f86d081884c7d65 0-16", "9f86d081884c7d65 1-2-3", "9f86d081884c7d65  1-2",
      "9f86d081884c7d65 1-99999999999999999999", "9F86D081884C7D65 1-2", "9f86d081884c7d65 1-2;",
      "9f86d081884c7d65 1-2; since=", "9f86d081884c7d65 1-2; since=2", "9f86d081884c7d65 1-2;since=1",
      "9f86d081884c7d65 1-2; since=1; since=1", "9f86d081884c7d65 1-2; until=1", "9f86d081884c7d65 1-2 since=1",
    ])
  func rejected(_ text: String) {
    #expect(SequenceRange(text) == nil)
  }

  @Test(
    "a range beyond any journal is too wide, and malformed ranges have no width",
    arguments: [
      ("9f86d081884c7d65 1-1099511627777", SequenceRange.Fault.tooWide),
      ("9f86d081884c7d65 1099511627777-1099511627777", .tooWide),
      ("9f86d081884c7d65 9223372036854775807-9223372036854775807", .tooWide),
      ("9f86d081884c7d65 9223372036854775000-9223372036854775001; since=1", .tooWide),
      ("9f86d081884c7d65 1-99999999999999999999", .tooWide), ("9f86d081884c7d65 1-2; since=9223372036854775807", .tooWide),
      ("9f86d081884c7d65 1--9223372036854775808", .malformed), ("9f86d081884c7d65 1-1e308", .malformed),
      ("9f86d081884c7d65 0-9", .malformed), ("9f86d081884c7d65 NaN-NaN", .malformed), ("9f86d081884c7d65 9-1", .malformed),
    ])
  func faults(_ text: String, _ fault: SequenceRange.Fault) {
    #expect(throws: fault) { try SequenceRange(parsing: text) }
  }
}
