/// A device of the server: the owner of points under one name.
public struct Device: Sendable, Hashable {
  /// The number in the store.
  public let id: Int64
  /// The unique name of the device.
  public let name: String

  public init(id: Int64, name: String) {
    self.id = id
    self.name = name
  }

  /// Whether a name is valid: letters, digits, spaces or `-_.@`, with a letter or digit at both ends; 1 to 64 bytes in UTF-8.
  public static func isValid(name: String) -> Bool {
    guard !name.isEmpty, name.utf8.count <= 64, let first = name.first, let last = name.last else { return false }
    func isPlain(_ character: Character) -> Bool { character.isLetter || character.isNumber }
    return isPlain(first) && isPlain(last) && name.allSatisfy { isPlain($0) || " -_.@".contains($0) }
  }
}
