public import Foundation
internal import GodwitLocks

/// The small files of the app, such as its list of servers and the state of the onboarding. No file contains a token.
public struct AppFiles: Sendable {
  /// Returns the bytes of a file; `nil`: it does not exist. - Throws: if it cannot be read now, as before the phone's first unlock.
  public var read: @Sendable (_ name: String) throws -> Data?
  /// Writes a file atomically; `nil` removes it.
  public var write: @Sendable (_ name: String, _ bytes: Data?) throws -> Void

  public init(
    read: @escaping @Sendable (_ name: String) throws -> Data?,
    write: @escaping @Sendable (_ name: String, _ bytes: Data?) throws -> Void
  ) {
    self.read = read
    self.write = write
  }

  /// Files of a folder, which is created when the first file is written. On a phone the files can be read after the first unlock.
  public static func folder(_ folder: URL) -> AppFiles {
    AppFiles(
      read: { name in
        let file = folder.appendingPathComponent(name)
        guard FileManager.default.fileExists(atPath: file.path) else { return nil }
        return try Data(contentsOf: file)
      },
      write: { name, bytes in
        let file = folder.appendingPathComponent(name)
        guard let bytes else {
          if FileManager.default.fileExists(atPath: file.path) { try FileManager.default.removeItem(at: file) }
          return
        }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        #if os(iOS)
          try bytes.write(to: file, options: [.atomic, .completeFileProtectionUntilFirstUserAuthentication])
        #else
          try bytes.write(to: file, options: .atomic)
        #endif
      })
  }

  /// Files in memory, for previews and tests.
  public static func memory() -> AppFiles {
    let files = MemoryFiles()
    return AppFiles(read: { files[$0] }, write: { files[$0] = $1 })
  }
}

private final class MemoryFiles: Sendable {
  private let files = Mutex<[String: Data]>([:])

  subscript(name: String) -> Data? {
    get { files.withLock { $0[name] } }
    set { files.withLock { $0[name] = newValue } }
  }
}

extension AppFiles {
  /// Returns a stored value; `nil`: there is none.
  /// - Throws: if the file cannot be read now, or has another format.
  func value<Value: Decodable>(_ type: Value.Type, _ name: String) throws -> Value? {
    guard let bytes = try read(name) else { return nil }
    return try JSONDecoder().decode(type, from: bytes)
  }

  func store(_ value: some Encodable, _ name: String) throws {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .prettyPrinted]
    try write(name, try encoder.encode(value))
  }
}
