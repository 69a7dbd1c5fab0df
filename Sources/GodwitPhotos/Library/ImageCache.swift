internal import Foundation
internal import Synchronization

/// Pictures in memory, with a bound: the least recently used go first.
final class ImageCache: Sendable {
  /// A picture of a user's server. Another key of the server is another entry.
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
    var expires: Date
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

  /// Seconds for which a picture is not requested again: it may be edited or deleted on its server.
  static let lifetime = 3600.0

  /// - Parameter maximumBytes: bytes of all pictures.
  init(maximumBytes: Int) { self.maximumBytes = maximumBytes }

  /// Bytes of the pictures that are there.
  var bytes: Int { state.withLock { $0.bytes } }

  func image(_ key: Key, at now: Date) -> PhotoImage? {
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

  /// Stores a picture; one of more than a quarter of the bound is not stored.
  func store(_ image: PhotoImage, _ key: Key, at now: Date) {
    guard image.bytes.count <= maximumBytes / 4 else { return }
    state.withLock { state in
      state.remove(key)
      state.clock += 1
      state.entries[key] = Entry(image: image, expires: now.addingTimeInterval(Self.lifetime), used: state.clock)
      state.bytes += image.bytes.count
      guard state.bytes > maximumBytes else { return }
      // To nine tenths, so that the order is not computed for each picture.
      for (key, _) in state.entries.sorted(by: { $0.value.used < $1.value.used }) {
        guard state.bytes > maximumBytes / 10 * 9 else { break }
        state.remove(key)
      }
    }
  }

  /// Removes the pictures of a user.
  func removeAll(of account: Int64?) {
    state.withLock { state in
      for key in state.entries.keys where key.account == account { state.remove(key) }
    }
  }
}
