/// Finds passwords that are guessed first: common words, walks over a keyboard, repetition, and the user's own name.
package enum WeakPassword {
  /// Characters that must be left when the user's name is taken out.
  private static let minimumBesidesName = 8
  /// Digits that a password of nothing else must have: dates and telephone numbers have fewer.
  private static let minimumDigits = 14
  /// Digits and signs around a common word that make it no better.
  private static let maximumContext = 6

  /// Why a password is weak; `nil` where no rule finds it so.
  /// - Parameters:
  ///   - password: as it was entered.
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

  /// One block, over and over; the last one may be cut off.
  private static func isRepeated(_ characters: [Character]) -> Bool {
    guard characters.count > 1 else { return false }
    return (1...(characters.count / 2)).contains { period in
      (period..<characters.count).allSatisfy { characters[$0] == characters[$0 - period] }
    }
  }

  private static let rows = ["1234567890", "qwertyuiop", "qwertzuiop", "azertyuiop", "asdfghjkl", "zxcvbnm", "yxcvbnm"]

  /// Pairs of characters that are beside each other on a keyboard.
  private static let keys: Set<String> = Set(
    rows.flatMap { row in zip(row, row.dropFirst()).flatMap { ["\($0)\($1)", "\($1)\($0)"] } })

  /// Runs of neighbours, of four characters or more each on average.
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

  /// Digits and signs that stand for letters.
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

  /// Two common words of four letters or more, one after the other.
  private static func isPair(_ word: String) -> Bool {
    let characters = Array(word)
    guard characters.count >= 8 else { return false }
    return (4...(characters.count - 4)).contains { place in
      GuessedPasswords.contains(String(characters[..<place])) && GuessedPasswords.contains(String(characters[place...]))
    }
  }

  /// Without what is no letter at both ends.
  private static func trimmed(_ text: String) -> String {
    let rest = text.drop { !$0.isLetter }
    return rest.lastIndex(where: \.isLetter).map { String(rest[...$0]) } ?? ""
  }
}
