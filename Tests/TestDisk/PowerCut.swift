internal import Foundation
internal import GodwitSimulator

/// A file on a disk: the durable content, and the changes since the last sync.
struct DiskFile: Sendable {
  enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(to: Int)
  }

  /// The content at the last sync.
  var synced = DiskImage()
  /// The changes since the last sync, in order.
  var changes: [Change] = []

  /// Makes all changes durable.
  mutating func sync() {
    for change in changes { Self.apply(change, to: &synced) }
    changes = []
  }

  /// The content with all changes.
  var content: DiskImage {
    var file = self
    file.sync()
    return file.synced
  }

  private static func apply(_ change: Change, to image: inout DiskImage) {
    switch change {
    case .write(let offset, let bytes): image.write(bytes[...], at: offset)
    case .truncate(let size): image.truncate(to: size)
    }
  }

  /// Returns a possible content after a power cut.
  func afterCut(_ random: inout RandomSource) -> DiskImage {
    switch random.next() % 8 {
    case 0: return synced
    case 1: return inOrder(changes.count, &random)
    case 2, 3: return inOrder(Int.random(in: 0...changes.count, using: &random), &random)
    default: return scattered(&random)
    }
  }

  /// Returns the content with the first `count` changes, and with some of the sectors of the next change.
  private func inOrder(_ count: Int, _ random: inout RandomSource) -> DiskImage {
    var image = synced
    for change in changes[..<count] { Self.apply(change, to: &image) }
    if count < changes.count, case .write(let offset, let bytes) = changes[count] {
      let isPrefix = random.happens(0.5)
      for part in Self.sectors(offset, bytes.count) {
        if random.happens(0.5) {
          image.write(bytes[part.lowerBound - offset..<part.upperBound - offset], at: part.lowerBound)
        } else if isPrefix {
          break
        }
      }
    }
    return image
  }

  /// Returns a content in which each sector has the state before or after any of the writes to it, and the size is that after any of the
  /// changes.
  private func scattered(_ random: inout RandomSource) -> DiskImage {
    let probability = [0.1, 0.5, 0.9][Int(random.next() % 3)]
    let sizes = random.happens(0.5) ? changes.count : Int.random(in: 0...changes.count, using: &random)
    let hasGarbage = random.happens(0.25)
    var (latest, result) = (synced, synced)
    var size = synced.size
    // If the disk lacks a truncation, the sectors after the new end keep their earlier content.
    var limit = Int.max
    var written: Set<Int> = []
    for (index, change) in changes.enumerated() {
      Self.apply(change, to: &latest)
      switch change {
      case .write(let offset, let bytes):
        for part in Self.sectors(offset, bytes.count) {
          let sector = part.lowerBound / Self.sectorSize
          let whole = sector * Self.sectorSize..<(sector + 1) * Self.sectorSize
          guard whole.lowerBound < limit, random.happens(probability) else { continue }
          result.write(latest.read(whole)[...], at: whole.lowerBound)
          written.insert(sector)
        }
      case .truncate(let length):
        if index < sizes {
          if length < result.size { result.truncate(to: length) }
          written = written.filter { $0 * Self.sectorSize < length }
        } else {
          limit = min(limit, length)
        }
      }
      if index < sizes { size = latest.size }
    }
    result.truncate(to: size)
    if hasGarbage {
      // New sectors of a file that has grown, which were not written, have random content.
      var sector = (synced.size + Self.sectorSize - 1) / Self.sectorSize
      while (sector + 1) * Self.sectorSize <= size {
        if !written.contains(sector) {
          let bytes = (0..<Self.sectorSize).map { _ in UInt8(truncatingIfNeeded: random.next()) }
          result.write(bytes[...], at: sector * Self.sectorSize)
        }
        sector += 1
      }
    }
    return result
  }

  /// The number of bytes that a disk writes atomically.
  private static let sectorSize = 512

  /// Returns the part of a range in each sector.
  private static func sectors(_ offset: Int, _ count: Int) -> [Range<Int>] {
    guard count > 0 else { return [] }
    return (offset / sectorSize...(offset + count - 1) / sectorSize).map { sector in
      max(offset, sector * sectorSize)..<min(offset + count, (sector + 1) * sectorSize)
    }
  }
}

/// A disk at the time of a power cut.
public struct PowerCut: Sendable {
  /// The file of a name in the folder.
  struct Entry: Sendable {
    /// The file of the durable name; `nil`: no file.
    var synced: DiskFile?
    var current: DiskFile?
    /// Whether both names have the same file.
    var isSynced: Bool
  }

  /// The number of the operation that was not performed, from 1.
  public let operation: Int
  /// The entries by the names of the files.
  let entries: [String: Entry]

  /// Returns possible files of the disk after the cut, by their names. Unsynced sectors of 512 bytes are written, not written, or in the
  /// state before a later write. A file that has grown may have its new size without its new content.
  public func files(seed: UInt64) -> [String: [UInt8]] {
    var random = RandomSource(seed: seed, stream: "power cut")
    var files: [String: [UInt8]] = [:]
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let file = entry.isSynced || random.happens(0.5) ? entry.current : entry.synced
      files[name] = file?.afterCut(&random).bytes
    }
    return files
  }

  /// Writes the files of ``files(seed:)`` into a folder, which is replaced.
  public func write(seed: UInt64, to folder: String) throws {
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, bytes) in files(seed: seed) {
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
  }
}
