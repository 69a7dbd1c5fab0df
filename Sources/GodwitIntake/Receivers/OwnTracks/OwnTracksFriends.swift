internal import Foundation
internal import GodwitAccounts
internal import GodwitHistory
internal import GodwitModel
internal import GodwitServices
package import GodwitStore
internal import GodwitWire
internal import Synchronization

/// The positions of devices that share their positions with each other. OwnTracks apps show these devices as friends.
///
/// The positions are read from the store at most twice a minute. In between, the commits of this server update them.
package final class OwnTracksFriends: Sendable {
  private struct Friend {
    var device: Device
    var fix: Fix?
    var battery: Double?
    var card: OwnTracks.Card
  }
  private struct State {
    var friends: [Int64: Friend] = [:]
    var read = Date.distantPast
  }
  private let state = Mutex(State())
  private let store: any StoreDatabase

  private static let freshness = 30.0

  package init(store: any StoreDatabase) { self.store = store }

  /// Makes the next use read the store again, after a change of sharing or of a profile.
  package func expire() { state.withLock { $0.read = .distantPast } }

  /// Discards all cached positions, after points were deleted or private zones changed.
  package func invalidate() {
    state.withLock { $0 = State() }
  }

  /// Updates the positions from a stored submission. Called on the store's thread.
  package func noted(_ submission: Submission, _ stored: SubmissionResult) {
    state.withLock { state in
      guard state.friends[submission.device.id] != nil else { return }
      for record in submission.live(stored) {
        guard case .fix(let fix) = record.kind, fix.time >= state.friends[submission.device.id]?.fix?.time ?? .distantPast else {
          continue
        }
        state.friends[submission.device.id]?.fix = fix
        state.friends[submission.device.id]?.battery = record.context.batteryLevel
      }
    }
  }

  /// Returns the profile and the position of each other device that shares its positions.
  package func messages(for device: Device) -> [[UInt8]] {
    refresh()
    let friends = state.withLock { $0.friends.values.sorted { $0.device.name < $1.device.name } }
    var messages: [[UInt8]] = []
    for friend in friends where friend.device.id != device.id {
      guard let fix = friend.fix else { continue }
      let topic = OwnTracks.topic(user: nil, device: friend.device.name)
      let tid = friend.card.tid.flatMap { $0.isEmpty ? nil : $0 } ?? OwnTracks.trackerID(topic: topic)
      var (card, place): ([UInt8], [UInt8]) = ([], [])
      var reported = friend.card
      reported.name = reported.name ?? friend.device.name
      OwnTracks.write(reported, tid: tid, into: &card)
      OwnTracks.writeFriend(fix, battery: friend.battery, tid: tid, topic: topic, into: &place)
      messages += [card, place]
    }
    return messages
  }

  private func refresh() {
    let now = store.clock.now
    guard state.withLock({ abs(now.timeIntervalSince($0.read)) > Self.freshness }) else { return }
    // If the read fails, the cached positions are used.
    guard
      let (sharing, cards) = try? store.read({ db in
        let sharing = try AppTables.sharing(db)
        let cards = try sharing.map { try AppTables.report("card", of: $0, db) }
        return (sharing, cards)
      }), let devices = try? store.devices(), let hidden = try? HiddenPlaces(of: sharing, in: store)
    else { return }
    var friends: [Int64: Friend] = [:]
    for (id, card) in zip(sharing, cards) {
      guard let summary = devices.first(where: { $0.device.id == id }) else { continue }
      let known = card.flatMap { try? OwnTracks.readCard(Array($0.utf8)) }
      friends[id] = Friend(
        device: summary.device, fix: summary.last.flatMap { hidden.shown($0) }?.fix,
        battery: summary.last?.record.context.batteryLevel,
        card: known ?? OwnTracks.Card())
    }
    state.withLock { state in
      // A cached position is newer if it was stored after the read.
      for (id, old) in state.friends {
        guard let time = old.fix?.time, let fresh = friends[id], time > fresh.fix?.time ?? .distantPast else { continue }
        friends[id]?.fix = old.fix
        friends[id]?.battery = old.battery
      }
      state.friends = friends
      state.read = now
    }
  }
}
