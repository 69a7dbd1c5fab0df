/// A route's path with a part that stands for any text: `/api/v1/devices/NAME/regions`.
struct RoutePattern: Sendable {
  let path: String
  /// What comes before the parameter and after it; `nil` where the path has none.
  private let sides: (before: String, after: String)?

  /// - Parameter path: in which one part at most is a word in capital letters.
  init(_ path: String) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    sides = parts.firstIndex { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isUppercase } }.map { index in
      (parts[..<index].map { $0 + "/" }.joined(), parts[(index + 1)...].map { "/" + $0 }.joined())
    }
  }

  /// The path stands for itself alone.
  var isExact: Bool { sides == nil }
  /// How many parts it says itself.
  var fixedParts: Int { path.split(separator: "/").count - (isExact ? 0 : 1) }

  /// What a path has in the parameter's place; `nil` where it is no such path. At the end it may have slashes in it: a
  /// region's id may, and they cannot be distinguished from those of the path.
  func parameter(in path: String) -> String? {
    // Bytes: an accent that begins the parameter would make one character with the slash before it.
    guard let sides, path.utf8.count > sides.before.utf8.count + sides.after.utf8.count,
      path.utf8.starts(with: sides.before.utf8), path.utf8.suffix(sides.after.utf8.count).elementsEqual(sides.after.utf8)
    else { return nil }
    let middle = path.utf8.dropFirst(sides.before.utf8.count).dropLast(sides.after.utf8.count)
    return sides.after.isEmpty || !middle.contains(UInt8(ascii: "/")) ? String(decoding: middle, as: UTF8.self) : nil
  }
}
