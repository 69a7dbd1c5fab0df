package import Foundation
package import GodwitHTTP
internal import GodwitModel
package import GodwitRegions
package import GodwitServices
package import GodwitStore
internal import GodwitWire

/// Stores OwnTracks messages of a device from HTTP or MQTT, and creates the reply to the app.
package struct OwnTracksInbox: Sendable {
  package let store: any StoreDatabase
  /// The queue on which regions are read and written.
  package let reading: WorkQueue
  package let appConfigurations: AppConfigurationCache
  package let regions: any RegionStore
  package let regionChanges: RegionChangeNotifier
  package let friends: OwnTracksFriends

  package init(
    store: any StoreDatabase, reading: WorkQueue, appConfigurations: AppConfigurationCache, regions: any RegionStore,
    regionChanges: RegionChangeNotifier,
    friends: OwnTracksFriends
  ) {
    self.store = store
    self.reading = reading
    self.appConfigurations = appConfigurations
    self.regions = regions
    self.regionChanges = regionChanges
    self.friends = friends
  }

  /// The sender of messages.
  package struct Sender: Sendable {
    /// The device of the token or of the topic.
    package var device: Device
    /// The names that the app uses for user and device, `USER/DEVICE`.
    package var label: String?
    /// The program of the sender, if known.
    package var agent: String?
    /// How replies reach the app.
    package var replyPath = ReplyPath.response
    /// Whether the broker repeats a retained message. Records that are already stored are dropped, and a message without new
    /// records is no contact.
    package var isReplay = false
  }

  /// How replies are sent to the app.
  package enum ReplyPath: Sendable {
    /// In the answer to the request, including commands and friends.
    case response
    /// Over a broker. Commands are published separately, and the broker delivers the positions of friends.
    case broker
  }

  /// The reply to an app.
  package struct Response: Sendable {
    /// JSON objects, one for each message.
    package var messages: [[UInt8]] = []
    /// The key for encrypting the reply; `nil`: the reply is plain.
    package var key: OwnTracksKey?
    /// Whether the app is Overland in its OwnTracks mode, which expects a different answer.
    package var isOverland = false
    /// The problem, if the request failed; otherwise `nil`.
    package var problem: Problem?
  }

  /// Stores messages.
  /// - Parameters:
  ///   - body: a message or an array of messages. May be empty, because apps clear a retained message with an empty one.
  ///   - maximumMessages: the maximum number of messages.
  ///   - sender: the sender.
  ///   - received: the time of receipt.
  ///   - completion: called once, on any thread, after the commit or the failure.
  package func handle(
    _ body: [UInt8], maximumMessages: Int = RecordBatch.maximumRecords, from sender: Sender, at received: Date,
    _ completion: @escaping @Sendable (Result<Response, any Error>) -> Void
  ) {
    let configuration: AppConfiguration
    do { configuration = try appConfigurations.configuration(of: sender.device.id) } catch { return completion(.failure(error)) }
    var batch = OwnTracksBatch(sender: sender, configuration, received: received)
    batch.read(body, maximumMessages: maximumMessages)
    if sender.isReplay {
      do { try batch.discardKnown(store) } catch { return completion(.failure(error)) }
      if batch.isEmpty { return completion(.success(Response())) }
    }
    store(batch, configuration, completion)
  }

  /// Stores a body that cannot be decoded as a rejected record.
  package func quarantine(
    _ body: [UInt8], because problem: Problem, encoding: String?, from sender: Sender, at received: Date,
    _ completion: @escaping @Sendable (Result<Response, any Error>) -> Void
  ) {
    var batch = OwnTracksBatch(sender: sender, AppConfiguration(), received: received)
    batch.refuse(body, because: problem, encoding: encoding)
    store(batch, AppConfiguration(), completion)
  }

  private func store(
    _ batch: OwnTracksBatch, _ configuration: AppConfiguration,
    _ completion: @escaping @Sendable (Result<Response, any Error>) -> Void
  ) {
    let device = batch.sender.device
    if batch.waypoints.isEmpty, !batch.hasTransitions, !regionChanges.isNew(device.id) {
      return submit(batch, RegionsOfApp(self.regions, device, at: batch.received), configuration, completion)
    }
    // Regions are read and perhaps written, which would block the threads that receive requests.
    reading.async {
      var batch = batch
      var regions = RegionsOfApp(self.regions, device, at: batch.received)
      regionChanges.begin(device.id, maximum: OwnTracksReceiver.maximumRegions)
      do {
        for message in batch.waypoints {
          guard var rejected = try regions.handle(message) else { continue }
          rejected.origin = batch.origin
          batch.rejections.append(rejected)
        }
        try regions.save()
        for index in batch.records.indices { try regions.name(&batch.records[index]) }
      } catch {
        return completion(.failure(error))
      }
      if regions.hasChanged { regionChanges.refresh() }
      submit(batch, regions, configuration, completion)
    }
  }

  private func submit(
    _ batch: OwnTracksBatch, _ regions: RegionsOfApp, _ configuration: AppConfiguration,
    _ completion: @escaping @Sendable (Result<Response, any Error>) -> Void
  ) {
    let device = batch.sender.device
    // Computed before the commit, to relieve the store's thread.
    let isDue = regionChanges.isBehind(device.id) || !regions.again.isEmpty
    var response = Response()
    (response.key, response.isOverland, response.problem) = (
      configuration.key.map { OwnTracksKey(passPhrase: $0) }, batch.isOverland, batch.problem
    )
    let (plain, reports) = (response, batch.reports)
    let isListening = plain.problem == nil && !plain.isOverland && !batch.sender.isReplay
    let isAnswered = isListening && batch.sender.replyPath == .response
    let tellsCommands = isAnswered && configuration.hasCommands
    let tellsFriends = isAnswered && configuration.shares && batch.hasLocation
    store.submit(
      Submission(device: device, records: batch.records, rejections: batch.rejections, received: batch.received) { result in
        if case .failure(let error) = result { return completion(.failure(error)) }
        guard isListening && isDue || tellsCommands || tellsFriends || !reports.isEmpty else {
          return completion(.success(plain))
        }
        store.write { db -> [[UInt8]] in
          for (type, body) in reports { try AppTables.store(type, body, of: device.id, at: batch.received, db) }
          return tellsCommands ? try AppTables.takeCommands(of: device.id, at: batch.received, db) : []
        } completion: { result in
          appConfigurations.invalidate(device.id)
          reading.async {
            var response = plain
            if isListening, isDue { response.messages += regionMessages(for: regions) }
            // If the commands cannot be claimed now, they stay pending.
            if case .success(let commands) = result { response.messages += commands }
            if tellsFriends { response.messages += friends.messages(for: device) }
            completion(.success(response))
          }
        }
      })
  }
}

extension OwnTracksInbox {
  /// The update of an app's regions, which is sent once. If the read fails, the update is sent later.
  fileprivate func regionMessages(for known: RegionsOfApp) -> [[UInt8]] {
    let maximum = OwnTracksReceiver.maximumRegions
    let update = regionChanges.takeUpdate(device: known.device.id, knowing: known.known, maximum: maximum)
    var reported = update?.regions ?? []
    if update?.isFull != true, !known.again.isEmpty,
      let all = try? regions.regionUpdate(device: known.device.id, since: nil, maximum: maximum, at: store.clock.now)
    {
      let ids = Set(reported.map(\.id))
      reported += all.regions.filter { known.again.contains($0.id) && !ids.contains($0.id) }
    }
    var parts: [[UInt8]] = []
    if update?.isFull == true { parts.append(Array(#"{"_type":"cmd","action":"clearWaypoints"}"#.utf8)) }
    // Stored regions are valid. A damaged region is omitted.
    let readable = reported.compactMap { try? $0.region() }
    if !readable.isEmpty {
      var text: [UInt8] = []
      OwnTracks.writeSetWaypoints(readable, into: &text)
      parts.append(text)
    }
    return parts
  }
}
