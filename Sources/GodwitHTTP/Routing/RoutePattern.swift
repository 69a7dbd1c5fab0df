/// A route's path, which may contain a parameter: `/api/v1/devices/NAME/regions`.
struct RoutePattern: Sendable {
  let path: String
  /// The text before and after the parameter; `nil` if the path has none.
  private let sides: (before: String, after: String)?

  /// - Parameter path: a path in which at most one component is a word in capital letters.
  init(_ path: String) {
    self.path = path
    let parts = path.split(separator: "/", omittingEmptySubsequences: false)
    sides = parts.firstIndex { !$0.isEmpty && $0.allSatisfy { $0.isASCII && $0.isUppercase } }.map { index in
      (parts[..<index].map { $0 + "/" }.joined(), parts[(index + 1)...].map { "/" + $0 }.joined())
    }
  }

  /// Whether the path has no parameter.
  var isExact: Bool { sides == nil }
  /// Number of components that are not the parameter.
  var fixedParts: Int { path.split(separator: "/").count - (isExact ? 0 : 1) }

  /// Returns the value of the parameter in a path; `nil` if the path does not match. At the end of the path the value may
  /// contain slashes, because identifiers of regions may contain them.
  func parameter(in path: String) -> String? {
    // Bytes are compared, because a combining accent at the start of the parameter forms one character with the slash
    // before it.
    guard let sides, path.utf8.count > sides.before.utf8.count + sides.after.utf8.count,
      path.utf8.starts(with: sides.before.utf8), path.utf8.suffix(sides.after.utf8.count).elementsEqual(sides.after.utf8)
    else { return nil }
    let middle = path.utf8.dropFirst(sides.before.utf8.count).dropLast(sides.after.utf8.count)
    return sides.after.isEmpty || !middle.contains(UInt8(ascii: "/")) ? String(decoding: middle, as: UTF8.self) : nil
  }
}
