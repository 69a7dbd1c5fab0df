internal import Foundation

/// A temporary folder, in memory if the system has a folder in memory, that is removed with the object.
public final class MemoryFolder: Sendable {
  public let path: String

  public init() {
    let memory = "/dev/shm"
    let parent = FileManager.default.isWritableFile(atPath: memory) ? memory : NSTemporaryDirectory()
    path = "\(parent)/godwit-cuts-\(UUID().uuidString)"
    try? FileManager.default.createDirectory(atPath: path, withIntermediateDirectories: true)
  }

  deinit { try? FileManager.default.removeItem(atPath: path) }
}
