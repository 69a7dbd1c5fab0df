internal import GodwitModel

/// Recognizes points that are already in blocks, during one transaction.
package struct SealedDuplicates {
  /// The time of the last sealed point, by device; `nil`: the device has no block.
  private var ends: [Int64: Int64?] = [:]
  /// Decoded blocks, and gaps between blocks, which have no points.
  private var recent: [Part] = []
  /// Maximum decoded blocks.
  private static let capacity = 8

  private struct Part {
    let device: Int64
    let times: ClosedRange<Int64>
    let keys: Set<PointKey>
  }

  package init() {}

  /// Reads the ends of many devices at once.
  /// - Parameters:
  ///   - devices: their numbers.
  ///   - time: the first time of the points that will be compared, milliseconds since 1970.
  ///   - db: in the transaction.
  init(devices: Set<Int64>, from time: Int64, _ db: any SQLConnection) throws {
    for device in devices { ends[device] = .some(nil) }
    let list = devices.sorted().map(String.init).joined(separator: ", ")
    guard !list.isEmpty else { return }
    try db.forEach("SELECT device, until FROM sealed_devices WHERE until >= ? AND device IN (\(list))", time) {
      ends[try $0.integer("device")] = try $0.integer("until")
    }
  }

  /// Whether a device has sealed points at or after the first time of the points to compare.
  var isNeeded: Bool { ends.values.contains { $0 != nil } }

  /// Whether a point is in a block.
  /// - Parameters:
  ///   - key: the point.
  ///   - device: the number of the device.
  ///   - db: in the transaction.
  package mutating func contains(_ key: PointKey, ofDevice device: Int64, _ db: any SQLConnection) throws -> Bool {
    guard let end = try end(ofDevice: device, db), key.time <= end else { return false }
    if let known = recent.first(where: { $0.device == device && $0.times.contains(key.time) }) {
      return known.keys.contains(key)
    }
    guard let header = try BlockTable.header(ofDevice: device, endingAtOrAfter: key.time, db) else { return false }
    if recent.count >= Self.capacity { recent.removeFirst() }
    guard header.times.contains(key.time) else {
      recent.append(Part(device: device, times: key.time...max(key.time, header.times.lowerBound - 1), keys: []))
      return false
    }
    let keys = try Self.keys(header, db)
    recent.append(Part(device: device, times: header.times, keys: keys))
    return keys.contains(key)
  }

  /// The keys of a block. A damaged block returns none, so that its points are stored again.
  private static func keys(_ header: BlockTable.Header, _ db: any SQLConnection) throws -> Set<PointKey> {
    do {
      let block = try BlockTable.block(header, columns: [], db)
      return Set((0..<block.count).map { block.key($0) })
    } catch is DamagedBlock { return [] }
  }

  private mutating func end(ofDevice device: Int64, _ db: any SQLConnection) throws -> Int64? {
    if let known = ends[device] { return known }
    let end = try db.integer("SELECT until FROM sealed_devices WHERE device = ?", device)
    ends[device] = .some(end)
    return end
  }
}
