/// Detects weak passwords: common words, keyboard patterns, repetition, and the user's name.
package enum WeakPassword {
  /// Minimum characters without the user's name.
  private static let minimumBesidesName = 8
  /// Minimum digits of a password that has only digits. Dates and telephone numbers have fewer.
  private static let minimumDigits = 14
  /// Maximum characters around a common word that do not make it stronger.
  private static let maximumContext = 6

  /// Returns the reason why a password is weak; `nil`: no rule applies.
  /// - Parameters:
  ///   - password: the entered password.
  ///   - user: the user's name.
  package static func fault(_ password: String, user: String) -> String? {
    let text = password.lowercased()
    let characters = Array(text)
    if isRepeated(characters) { return "it repeats the same few characters." }
    if isSequence(characters) { return "it is a sequence of letters, digits or neighbouring keys." }
    if characters.allSatisfy(\.isNumber), characters.count < minimumDigits { return "it has only digits." }
    let name = user.lowercased()
    if name.count > 2, text.contains(name), text.replacing(name, with: "").count < minimumBesidesName {
      return "it is too similar to the user's name."
    }
    if isCommon(text) { return "it is one of the most common passwords." }
    return nil
  }

  /// Whether the characters repeat one block; the last block may be incomplete.
  private static func isRepeated(_ characters: [Character]) -> Bool {
    guard characters.count > 1 else { return false }
    return (1...(characters.count / 2)).contains { period in
      (period..<characters.count).allSatisfy { characters[$0] == characters[$0 - period] }
    }
  }

  private static let rows = ["1234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"]

  /// Pairs of neighbouring keys.
  private static let keys: Set<String> = Set(
    rows.flatMap { row in zip(row, row.dropFirst()).flatMap { ["\($0)\($1)", "\($1)\($0)"] } })

  /// Whether the characters consist of runs of neighbours with an average length of at least four.
  private static func isSequence(_ characters: [Character]) -> Bool {
    guard !characters.isEmpty else { return false }
    let breaks = zip(characters, characters.dropFirst()).count { !areNeighbours($0, $1) }
    return (breaks + 1) * 4 <= characters.count
  }

  private static func areNeighbours(_ a: Character, _ b: Character) -> Bool {
    if a == b || keys.contains("\(a)\(b)") { return true }
    guard let first = a.asciiValue, let second = b.asciiValue, a.isLetter && b.isLetter || a.isNumber && b.isNumber else {
      return false
    }
    return max(first, second) - min(first, second) == 1
  }

  /// Characters that are used instead of letters.
  private static let letters: [Character: Character] = [
    "0": "o", "1": "i", "3": "e", "4": "a", "5": "s", "7": "t", "@": "a", "$": "s", "!": "i",
  ]

  private static func isCommon(_ text: String) -> Bool {
    let core = trimmed(text)
    guard text.count - core.count <= maximumContext else { return false }
    let spelled = trimmed(String(text.map { letters[$0] ?? $0 }))
    let coreSpelled = String(core.map { letters[$0] ?? $0 })
    return [text, core, spelled, coreSpelled].contains { word in
      GuessedPasswords.contains(word) || isPair(word)
    }
  }

  /// Whether a word consists of two common words of at least four letters.
  private static func isPair(_ word: String) -> Bool {
    let characters = Array(word)
    guard characters.count >= 8 else { return false }
    return (4...(characters.count - 4)).contains { place in
      GuessedPasswords.contains(String(characters[..<place])) && GuessedPasswords.contains(String(characters[place...]))
    }
  }

  /// Returns the text without leading and trailing characters that are not letters.
  private static func trimmed(_ text: String) -> String {
    let rest = text.drop { !$0.isLetter }
    return rest.lastIndex(where: \.isLetter).map { String(rest[...$0]) } ?? ""
  }
}
