/// Damages texts. The damage depends only on a seed.
package struct Mutations {
  private var state: UInt64

  package init(seed: UInt64) { state = seed }

  package mutating func random(_ bound: Int) -> Int {
    state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
    return Int(state >> 33) % bound
  }

  /// Returns the text with a few bytes changed, removed or repeated, or with a truncated end.
  package mutating func damaged(_ text: [UInt8]) -> [UInt8] {
    var text = text
    for _ in 0...random(3) where text.count > 1 {
      switch random(4) {
      case 0: text[random(text.count)] = UInt8(random(256))
      case 1: text.remove(at: random(text.count))
      case 2: text.insert(contentsOf: text[random(text.count)...].prefix(random(20)), at: random(text.count))
      default: text.removeLast(random(text.count / 2 + 1))
      }
    }
    return text
  }
}
