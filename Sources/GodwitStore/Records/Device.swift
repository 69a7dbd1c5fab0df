/// A device that the server knows: whose points are kept together under one name.
public struct Device: Sendable, Hashable {
  /// The store's own number.
  public let id: Int64
  /// The owner's name for it, unique.
  public let name: String

  public init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  /// Whether a name can be one: 1 to 64 letters, digits, spaces or `-_.@`, none at the ends but letters and digits.
  public static func isValid(name: String) -> Bool {
    guard !name.isEmpty, name.utf8.count <= 64, let first = name.first, let last = name.last else { return false }
    func isPlain(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    return isPlain(first) && isPlain(last) && name.allSatisfy { isPlain($0) || " -_.@".contains($0) }
  }
}
