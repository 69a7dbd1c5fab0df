import GodwitModel
import Testing

@Suite("BLAKE2b")
struct BLAKE2bTests {
  private func hex(_ bytes: [UInt8]) -> String {
    bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
  }

  @Test("RFC 7693, appendix A: \"abc\"")
  func abc() {
    #expect(
      hex(BLAKE2b.hash("abc".utf8))
        == "ba80a53f981c4d0d6a2797b69f12f6e94c212f14685ac4b74b12bb6fdbffa2d1"
        + "7d87c5392aab792dc252d5de4533cc9518d38aa8dbf1925ab92386edd4009923")
  }

  @Test(
    "16 bytes, as the reference implementation has them, around the ends of blocks",
    arguments: [
      (0, "cae66941d9efbd404e4d88758ea67670"), (127, "2228006d5107a5239e500da574466288"),
      (128, "1271d28e731afb57bdfba6bdaf3501be"), (129, "68b7bafbad5055c4ebe6eb170a0f8524"),
      (256, "2dbe331c95d600bb74dcd669f0618bd7"),
    ])
  func lengths(length: Int, expected: String) {
    #expect(hex(BLAKE2b.hash(repeatElement(UInt8(ascii: "a"), count: length), length: 16)) == expected)
  }

  /// The bytes that RFC 7693, appendix E, makes up for its tests.
  private func sequence(_ length: Int) -> [UInt8] {
    var (a, b) = (UInt32(truncatingIfNeeded: 0xDEAD_4BAD * length), UInt32(1))
    return (0..<length).map { _ in
      (a, b) = (b, a &+ b)
      return UInt8(b >> 24)
    }
  }

  @Test("RFC 7693, appendix E, without keys: many lengths of message and hash, in pieces, in one hash of all of them")
  func many() {
    var all = BLAKE2b(length: 32)
    for length in [20, 32, 48, 64] {
      for count in [0, 3, 128, 129, 255, 1024] {
        let message = sequence(count)
        var hash = BLAKE2b(length: length)
        hash.update(message.prefix(100))
        hash.update(message.dropFirst(100))
        #expect(hash.finished() == BLAKE2b.hash(message, length: length))
        all.update(hash.finished())
      }
    }
    #expect(hex(all.finished()) == "681f345ad53c6360214ea500fd259edddbca775f605fad81b9b189d6d88e15c6")
  }
}
