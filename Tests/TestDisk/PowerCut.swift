internal import Foundation
internal import GodwitSimulator

/// A file on a disk: what a power cut leaves of it for certain, and what was written since the last sync.
struct DiskFile: Sendable {
  enum Change: Sendable {
    case write(offset: Int, bytes: [UInt8])
    case truncate(to: Int)
  }

  /// The content at the last sync.
  var synced = DiskImage()
  /// In their order.
  var changes: [Change] = []

  /// Makes all changes durable.
  mutating func sync() {
    for change in changes { Self.apply(change, to: &synced) }
    changes = []
  }

  /// With all changes.
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

  /// What a power cut leaves.
  func afterCut(_ random: inout RandomSource) -> DiskImage {
    switch random.next() % 8 {
    case 0: return synced
    case 1: return inOrder(changes.count, &random)
    case 2, 3: return inOrder(Int.random(in: 0...changes.count, using: &random), &random)
    default: return scattered(&random)
    }
  }

  /// The first changes, and some of the sectors of the next one.
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

  /// Each sector as it was after any of the writes to it, or before them; the size as it was after any of the changes.
  private func scattered(_ random: inout RandomSource) -> DiskImage {
    let probability = [0.1, 0.5, 0.9][Int(random.next() % 3)]
    let sizes = random.happens(0.5) ? changes.count : Int.random(in: 0...changes.count, using: &random)
    let hasGarbage = random.happens(0.25)
    var (latest, result) = (synced, synced)
    var size = synced.size
    // Behind a truncation that the disk does not have, sectors are those from before it.
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
      // The file has grown, and its new sectors were not written.
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

  /// Bytes that a disk writes wholly or not at all.
  private static let sectorSize = 512

  /// The parts of a range in each sector.
  private static func sectors(_ offset: Int, _ count: Int) -> [Range<Int>] {
    guard count > 0 else { return [] }
    return (offset / sectorSize...(offset + count - 1) / sectorSize).map { sector in
      max(offset, sector * sectorSize)..<min(offset + count, (sector + 1) * sectorSize)
    }
  }
}

/// A disk at the time of a power cut.
public struct PowerCut: Sendable {
  /// What a name in the folder leads to.
  struct Entry: Sendable {
    /// `nil`: no file.
    var synced: DiskFile?
    var current: DiskFile?
    /// Whether both are one file.
    var isSynced: Bool
  }

  /// The number of the operation that did not take place, from 1.
  public let operation: Int
  /// By the names of the files.
  let entries: [String: Entry]

  /// Returns the files that a disk may have after the cut, by their names. Unsynced sectors of 512 bytes are there, or not, or as they
  /// were before a later write; the size of a file that grew may be known without its content.
  public func files(seed: UInt64) -> [String: [UInt8]] {
    var random = RandomSource(seed: seed, stream: "power cut")
    var files: [String: [UInt8]] = [:]
    for (name, entry) in entries.sorted(by: { $0.key < $1.key }) {
      let file = entry.isSynced || random.happens(0.5) ? entry.current : entry.synced
      files[name] = file?.afterCut(&random).bytes
    }
    return files
  }

  /// Writes the files of ``files(seed:)`` into a folder, which is made new.
  public func write(seed: UInt64, to folder: String) throws {
    try? FileManager.default.removeItem(atPath: folder)
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    for (name, bytes) in files(seed: seed) {
      try Data(bytes).write(to: URL(fileURLWithPath: folder + "/" + name))
    }
  }
}
