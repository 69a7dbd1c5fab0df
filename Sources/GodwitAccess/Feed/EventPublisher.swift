internal import Foundation
internal import GodwitHTTP
package import GodwitHistory
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
internal import GodwitText
internal import Synchronization

/// Publishes live events of commits. The events are created on a separate queue, so that subscribers do not delay commits.
///
/// At most `capacity` commits are queued. Beyond that, a `resync` event is published instead.
package final class EventPublisher: Sendable {
  private static let capacity = 64
  /// Maximum points of an event.
  private static let eventSize = 500

  private let feed: EventBroadcaster
  private let shared: ClusterEventRelay?
  private let work: RequestWork
  private let queue: WorkQueue
  private let waiting = Atomic<Int>(0)

  /// - Parameters:
  ///   - feed: subscribers of this server.
  ///   - shared: subscribers of other servers of the same database; `nil`: there are no other servers.
  ///   - work: reads the device of flagged points, on the reading queue.
  package init(feed: EventBroadcaster, shared: ClusterEventRelay? = nil, work: RequestWork) {
    self.feed = feed
    self.shared = shared
    self.work = work
    queue = work.store.queues.queue("godwit.announcer")
  }

  /// Whether a device has subscribers at this server or at another.
  private func isShown(_ device: Int64) -> Bool { feed.hasSubscribers || shared?.wants(device) == true }

  package func publish(_ submission: Submission, _ stored: SubmissionResult) {
    guard stored.saved > 0 || !stored.regionEvents.isEmpty, isShown(submission.device.id) else { return }
    // History is published when all of it is stored.
    if submission.isHistory { return }
    guard waiting.load(ordering: .relaxed) < Self.capacity else { return send(EventBroadcaster.resync, submission.device) }
    waiting.add(1, ordering: .relaxed)
    queue.async { [self] in
      defer { waiting.subtract(1, ordering: .relaxed) }
      // Sent once per commit: a subscriber without access to the points reloads the device's position.
      var movement: [UInt8]? = Array("event: moved\ndata: {\"device\":\(submission.device.name.jsonQuoted)}\n\n".utf8)
      var rest = submission.live(stored)[...]
      while !rest.isEmpty {
        let part = rest.prefix(Self.eventSize)
        rest = rest.dropFirst(part.count)
        var event = Array("event: points\ndata: {\"device\":\(submission.device.name.jsonQuoted),\"features\":[".utf8)
        let before = event.count
        for record in part {
          guard case .fix = record.kind else { continue }
          if event.count > before { event.append(UInt8(ascii: ",")) }
          PointFeature.write(record, device: submission.device.name, into: &event)
        }
        guard event.count > before else { continue }
        event += Array("]}\n\n".utf8)
        send(event, submission.device, movement: movement)
        movement = nil
      }
      for event in stored.regionEvents {
        send(Array("event: region\ndata: \(event.body)\n\n".utf8), submission.device)
      }
    }
  }

  /// Publishes that points were flagged as outliers, or unflagged.
  /// - Parameter id: the number of the device.
  package func publish(_ change: FlagChange, ofDevice id: Int64) {
    guard !change.isEmpty, isShown(id) else { return }
    work.reading.async { [self] in
      // If the device cannot be read, the map shows the change when it is next loaded.
      guard let device = (try? work.store.read { try TrackTables.device(id: id, $0) }) ?? nil else { return }
      publish(change, of: device)
    }
  }

  private func publish(_ change: FlagChange, of device: Device) {
    queue.async { [self] in
      guard change.flagged.count + change.unflagged.count <= Self.eventSize else { return publish(historyOf: device) }
      func list(_ points: [PointKey]) -> String {
        "[" + points.map(\.json).joined(separator: ",") + "]"
      }
      let text = """
        event: outliers
        data: {"device":\(device.name.jsonQuoted),"flagged":\(list(change.flagged)),"unflagged":\(list(change.unflagged))}


        """
      // A subscriber without access to the points reloads the device's position.
      send(Array(text.utf8), device, movement: EventBroadcaster.resync)
    }
  }

  /// Publishes that the points of a device have changed.
  package func publish(historyOf device: Device) { send(EventBroadcaster.resync, device, movement: EventBroadcaster.resync) }

  private func send(_ event: [UInt8], _ device: Device, movement: [UInt8]? = nil) {
    feed.publish(event, device: device.id, movement: movement)
    shared?.relay(event, device: device.id)
  }
}
