internal import CResources

/// Large files of this package that are part of the executable: they stay where the system maps the executable, and are not copied.
// The memory is a constant of the executable.
package struct EmbeddedFiles: @unchecked Sendable {
  /// The built-in world: archives of map tiles, and the shapes of letters.
  package static let world = EmbeddedFiles(c_resources_world())

  /// The bytes of each file, by its path below `Sources`.
  package let files: [String: UnsafeRawBufferPointer]

  /// The bytes of one file; empty where there is no such file.
  /// - Parameter path: its path below `Sources`.
  package subscript(path: String) -> UnsafeRawBufferPointer { files[path] ?? UnsafeRawBufferPointer(start: nil, count: 0) }

  private init(_ archive: CResourceArchive) {
    self.init(UnsafeRawBufferPointer(start: archive.start, count: archive.size))
  }

  /// Reads an archive as `CResources.h` describes it. Entries after a damaged one are left out.
  init(_ archive: UnsafeRawBufferPointer) {
    var files: [String: UnsafeRawBufferPointer] = [:]
    var rest = archive[...]
    while let path = Self.part(of: &rest), let file = Self.part(of: &rest) {
      files[String(decoding: path, as: UTF8.self)] = UnsafeRawBufferPointer(rebasing: file)
    }
    self.files = files
  }

  /// Takes a length and so many bytes from the front; nil where there are fewer.
  private static func part(of rest: inout Slice<UnsafeRawBufferPointer>) -> Slice<UnsafeRawBufferPointer>? {
    guard rest.count >= 4 else { return nil }
    let length = UnsafeRawBufferPointer(rebasing: rest.prefix(4)).loadUnaligned(as: UInt32.self)
    guard let count = Int(exactly: length), count <= rest.count - 4 else { return nil }
    defer { rest = rest.dropFirst(4 + count) }
    return rest.dropFirst(4).prefix(count)
  }
}
