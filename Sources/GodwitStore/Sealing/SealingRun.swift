package import Foundation
internal import GodwitModel

/// Moves points that are older than some days from rows into blocks, a few thousand in each transaction, so that uploads wait only
/// for milliseconds.
package struct SealingRun: Sendable {
  private let database: any StoreDatabase
  private let days: Double
  private let minimum: Int

  /// The default age in days from which points are sealed.
  package static let usualDays = 3.0
  /// The default minimum of new rows of a device for which a run creates or rewrites a block. Each run rewrites the last block.
  package static let usualMinimum = 512

  /// - Parameters:
  ///   - database: the store.
  ///   - days: the age from which points are sealed; at least 0.
  ///   - minimum: if a device has fewer new rows, they stay rows.
  package init(database: any StoreDatabase, days: Double = usualDays, minimum: Int = usualMinimum) {
    (self.database, self.days, self.minimum) = (database, days, minimum)
  }

  /// The result of a run.
  package struct Result: Sendable {
    /// Number of points that the run moved from rows into blocks.
    package var sealed = 0
    /// Errors by the number of the device. The points that they concern stay as they are.
    package var problems: [Int64: any Error] = [:]
  }

  /// Seals the points of all devices. Blocks the thread. The first run with a large store takes minutes.
  /// - Parameter now: the time.
  /// - Throws: an error of the store.
  package func run(at now: Date) throws -> Result {
    var result = Result()
    let end = now.addingTimeInterval(-days * DayLength.seconds).millisecondsSince1970
    for device in try database.read({ try TrackTables.devices($0) }) {
      do { try seal(device.id, .min..<end, &result) } catch {
        if error as? StoreError == .closed { throw error }
        result.problems[device.id] = error
      }
    }
    if result.sealed > 0 { try database.reclaimSpace() }
    return result
  }

  private func seal(_ device: Int64, _ times: Range<Int64>, _ result: inout Result) throws {
    var next: Int64? = times.lowerBound
    let end = times.upperBound
    // An empty transaction would cost an fsync.
    while let begin = next, begin < end, try database.read({ try Self.hasRows(device, begin..<end, $0) }) {
      do {
        let step = try database.writeAndWait { [minimum] db in
          // A transaction that stores records of the device holds the lock of its row until the commit.
          try db.run("UPDATE devices SET points = points WHERE id = ?", device)
          return try PointSealer(ofDevice: device, db).sealFirst(from: begin, before: end, minimum: minimum)
        }
        result.sealed += step.sealed
        next = step.next
      } catch let block as DamagedBlock {
        // Late points with times of the damaged block stay rows.
        result.problems[device] = block
        next = block.times.upperBound < .max ? max(begin, block.times.upperBound) + 1 : nil
      } catch let day as DamagedDay {
        // The rows of the damaged day stay rows. The rows before it are sealed.
        result.problems[device] = day
        if begin < day.times.lowerBound { try seal(device, begin..<day.times.lowerBound, &result) }
        next = day.times.upperBound < .max ? max(begin, day.times.upperBound) + 1 : nil
      }
    }
  }

  private static func hasRows(_ device: Int64, _ times: Range<Int64>, _ db: any SQLConnection) throws -> Bool {
    try db.integer(
      "SELECT 1 FROM points WHERE device = ? AND time >= ? AND time < ? LIMIT 1", device, times.lowerBound, times.upperBound)
      != nil
  }
}
