/// Quoting of words for a shell.
package enum ShellWord {
  /// Returns a word quoted so that a shell reads it unchanged.
  package static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      let isLetter = (0x61...0x7A).contains(byte | 0x20)
      return isLetter || (0x30...0x39).contains(byte) || "/._-+@:,".utf8.contains(byte)
    }
    return isPlain && !word.isEmpty ? word : "'\(word.replacing("'", with: "'\\''"))'"
  }
}
