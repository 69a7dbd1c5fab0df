internal import Foundation
internal import GodwitMirror
internal import GodwitModel
internal import GodwitServices
package import GodwitStore

/// Restores records that a damaged store has lost from its mirror. Existing records do not change.
package struct MirrorRepair: Sendable {
  /// A range of a device's times that may have lost records.
  package struct Gap: Sendable, Hashable {
    package let device: Int64
    /// Milliseconds since 1970.
    package let times: Range<Int64>

    package init(device: Int64, times: Range<Int64>) { (self.device, self.times) = (device, times) }
  }

  private let store: any StoreDatabase
  private let client: MirrorClient

  package init(_ store: any StoreDatabase, from client: MirrorClient) { (self.store, self.client) = (store, client) }

  /// Restores the records of gaps.
  ///
  /// - Parameters:
  ///   - gaps: the ranges that may have lost records. Devices that no longer exist are skipped.
  ///   - progress: called with the number of records read so far.
  /// - Returns: the number of restored records.
  /// - Throws: ``MirrorError``, or the store's error. The repair can be repeated, because stored records are recognized.
  package func run(_ gaps: [Gap], _ progress: @Sendable (Int) -> Void = { _ in }) async throws -> Int {
    var (count, read) = (0, 0)
    let devices = try store.read { try TrackTables.devices($0) }
    // Records that were deleted at this server, but not yet at the mirror, must not be restored.
    let deleted = try store.read { try MirrorChanges.oldest(limit: .max, $0) }.filter { $0.removal != .none }
    for gap in gaps {
      guard let device = devices.first(where: { $0.id == gap.device }) else { continue }
      var first: Int64? = gap.times.lowerBound
      while let begin = first {
        let page = try await client.records(of: device.name, begin..<gap.times.upperBound)
        let records = page.records.filter { record in
          let time = MirrorPage.time(of: record)
          return !deleted.contains { $0.device == device.id && $0.first <= time && $0.last >= time }
        }
        count += try await store(records, of: device)
        read += page.records.count
        progress(read)
        first = page.next
      }
    }
    return count
  }

  private func store(_ records: [Record], of device: Device) async throws -> Int {
    guard !records.isEmpty else { return 0 }
    let now = store.clock.now
    let stored = try await withCheckedThrowingContinuation { (continuation: CheckedContinuation<SubmissionResult, any Error>) in
      var submission = Submission(device: device, records: records, received: now) { continuation.resume(with: $0) }
      submission.isHistory = true
      store.submit(submission)
    }
    return stored.saved
  }
}
