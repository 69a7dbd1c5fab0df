internal import Foundation
internal import Synchronization

/// A cache of images in memory with a maximum size. The least recently used images are removed first.
final class ImageCache: Sendable {
  /// The key of an image. It contains the time at which the server was stored, so that a change of the address or the API key
  /// invalidates the images.
  struct Key: Hashable, Sendable {
    let account: Int64?
    let stored: Date
    let photo: PhotoID
    let size: PhotoSize

    init(_ server: PhotoServer, _ photo: PhotoID, _ size: PhotoSize) {
      (account, stored, self.photo, self.size) = (server.account, server.stored, photo, size)
    }
  }
  private struct Entry {
    var image: PhotoImage
    /// The uptime of the clock.
    var expires: Duration
    var used: UInt64
  }
  private struct State {
    var entries: [Key: Entry] = [:]
    var bytes = 0
    var clock: UInt64 = 0

    mutating func remove(_ key: Key) {
      if let entry = entries.removeValue(forKey: key) { bytes -= entry.image.bytes.count }
    }
  }
  private let state = Mutex(State())
  private let maximumBytes: Int

  /// The time after which an image is requested again, because it may have been edited or deleted on its server.
  static let lifetime = Duration.seconds(3600)

  /// - Parameter maximumBytes: the maximum size of all images in bytes.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// The size of all images in bytes.
  var bytes: Int { state.withLock { $0.bytes } }

  /// Returns an image; `nil`: it is not stored, or has expired.
  /// - Parameter now: the uptime of the clock.
  func image(_ key: Key, at now: Duration) -> PhotoImage? {
    state.withLock { state in
      guard let entry = state.entries[key] else { return nil }
      guard entry.expires > now else {
        state.remove(key)
        return nil
      }
      state.clock += 1
      state.entries[key]?.used = state.clock
      return entry.image
    }
  }

  /// Stores an image. An image of more than a quarter of the maximum size is not stored.
  /// - Parameter now: the uptime of the clock.
  func store(_ image: PhotoImage, _ key: Key, at now: Duration) {
    guard image.bytes.count <= maximumBytes / 4 else { return }
    state.withLock { state in
      state.remove(key)
      state.clock += 1
      state.entries[key] = Entry(image: image, expires: now + Self.lifetime, used: state.clock)
      state.bytes += image.bytes.count
      guard state.bytes > maximumBytes else { return }
      // Images are removed down to 90 %, so that the entries are not sorted for each new image.
      for (key, _) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
        guard state.bytes > maximumBytes / 10 * 9 else { break }
        state.remove(key)
      }
    }
  }

  /// Removes the images of a user.
  func removeAll(of account: Int64?) {
    state.withLock { state in
      for key in state.entries.keys where key.account == account { state.remove(key) }
    }
  }
}
