/// A branch of `#if`: its condition and its code.
struct Branch {
  /// The line of `#if`, `#elseif` or `#else`.
  var directive: Range<Int>
  /// `nil`: `#else`, or an unsupported condition.
  var condition: Condition?
  var isElse: Bool
  /// The lines between this directive and the next one of the same block, including nested blocks.
  var body: Range<Int>
}

/// A block from `#if` to `#endif`.
struct ConditionalBlock {
  var branches: [Branch]

  /// The blocks of a file; outer blocks come before nested ones.
  static func all(in text: SwiftText) -> [ConditionalBlock] {
    var (open, closed): ([(start: Int, block: ConditionalBlock)], [(start: Int, block: ConditionalBlock)]) = ([], [])
    for line in text.lines {
      guard let (word, rest) = directive(text, line) else { continue }
      switch word {
      case "if":
        let branch = Branch(
          directive: line, condition: Condition(text, in: rest), isElse: false, body: line.upperBound..<line.upperBound)
        open.append((line.lowerBound, ConditionalBlock(branches: [branch])))
      case "elseif", "else", "endif":
        guard let (start, last) = open.popLast() else { continue }
        var block = last
        block.branches[block.branches.count - 1].body = block.branches[block.branches.count - 1].body.lowerBound..<line.lowerBound
        guard word != "endif" else {
          closed.append((start, block))
          continue
        }
        block.branches.append(
          Branch(
            directive: line, condition: word == "else" ? nil : Condition(text, in: rest), isElse: word == "else",
            body: line.upperBound..<line.upperBound))
        open.append((start, block))
      default: break
      }
    }
    return closed.sorted { $0.start < $1.start }.map(\.block)
  }

  /// The word after `#` in a line, and the rest of the line.
  private static func directive(_ text: SwiftText, _ line: Range<Int>) -> (String, Range<Int>)? {
    var index = line.lowerBound
    while index < line.upperBound, SwiftText.isSpace(text.code[index]) { index += 1 }
    guard index < line.upperBound, text.code[index] == UInt8(ascii: "#") else { return nil }
    let start = index + 1
    index = start
    while index < line.upperBound, SwiftText.continuesName(text.code[index]) { index += 1 }
    return (String(decoding: text.code[start..<index], as: UTF8.self), index..<line.upperBound)
  }

  /// The index of the branch that is compiled; `nil`: none, or unknown.
  func taken(_ holds: (_ name: String, _ argument: String?) -> Bool?) -> Int? {
    for (index, branch) in branches.enumerated() {
      if branch.isElse { return index }
      switch branch.condition?.value(holds) {
      case .some(true): return index
      case .some(false): continue
      case nil: return nil
      }
    }
    return nil
  }
}
