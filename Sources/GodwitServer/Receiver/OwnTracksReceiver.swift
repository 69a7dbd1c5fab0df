internal import Foundation
internal import GodwitFormats
internal import GodwitModel
internal import Synchronization

/// OwnTracks in, and what its apps are told back: decodes on the thread of the connection, answers after the commit with the
/// messages that the app is to take.
struct OwnTracksReceiver {
  private let server: Server
  init(_ server: Server) { self.server = server }

  /// Regions that an app is told of: Android watches 100 for an app, iOS 20. Who gets more is told of none, and the server itself
  /// looks which of them its positions are in.
  static let mostRegions = 100

  /// What a request amounts to.
  private struct Batch {
    var records: [Record] = []
    var refusals: [Refused] = []
    /// Messages whose sense depends on the regions of the store.
    var waypoints: [OwnTracks.Message] = []
    var hasTransitions = false
    /// The answer where it is no success.
    var problem: Problem?
  }

  func respond(_ exchange: Exchange) -> HTTPReply {
    guard let device = exchange.device else { return .now(Problem(401, "Access token needed", "Send it as password.").response) }
    let received = Date()
    let sent = exchange.takeBody()
    server.metrics.received.add(sent.count, ordering: .relaxed)
    var batch = Batch()
    do throws(Problem) {
      let body = try RequestBody.decoded(
        sent, encoding: exchange.header("Content-Encoding"), limit: server.configuration.maximumBody)
      do throws(FormatError) {
        for message in try OwnTracks.messages(body) { Self.sort(message, into: &batch) }
      } catch {
        batch.refusals.append(Refused(place: error.place.description, reason: error.reason, raw: body))
        batch.problem = Problem(400, "Not an OwnTracks request", error.description)
      }
    } catch {
      batch.refusals.append(Refused(place: "body", reason: error.detail, raw: sent))
      batch.problem = error
    }
    if let refusal = exchange.suspend() { return .now(refusal) }
    if batch.waypoints.isEmpty, !batch.hasTransitions, !server.regionNews.isNew(device.id) {
      submit(batch, RegionsOfApp(server.regions, device), received, exchange)
    } else {
      // The regions are read, and perhaps written: not on the threads that take in requests.
      server.reading.async { [batch] in
        var batch = batch
        var regions = RegionsOfApp(server.regions, device)
        server.regionNews.begin(device.id, most: Self.mostRegions)
        do {
          for message in batch.waypoints {
            if let refused = try regions.take(message) { batch.refusals.append(refused) }
          }
          try regions.save(at: received)
          for index in batch.records.indices { try regions.name(&batch.records[index]) }
        } catch {
          return exchange.finish(Intake.unavailable(error).response)
        }
        if regions.hasChanged { server.regionNews.look() }
        submit(batch, regions, received, exchange)
      }
    }
    return .later
  }

  private static func sort(_ message: OwnTracks.Message, into batch: inout Batch) {
    func refuse(_ reason: String, _ place: FormatError.Place) {
      batch.refusals.append(Refused(place: place.description, reason: reason, raw: message.bytes))
    }
    do throws(FormatError) {
      switch message.type {
      case "location": batch.records.append(try OwnTracks.readLocation(message.bytes))
      case "transition":
        batch.records.append(try OwnTracks.readTransition(message.bytes))
        batch.hasTransitions = true
      case "waypoint", "waypoints": batch.waypoints.append(message)
      case "encrypted":
        let reason = "the message is encrypted, and this server has no key"
        refuse(reason, message.place)
        batch.problem = Problem(
          422, "Encrypted",
          "The message is encrypted, which this server cannot read. Take the encryption key out of the app's "
            + "settings; HTTPS protects what it sends on the way.", at: message.place.path)
      // Of the app and not of where it was: nothing of a track is lost with it.
      case "lwt", "card", "status", "steps", "dump", "cmd", "configuration", "request": break
      case let other?: refuse("\(other.prefix(40).debugDescription) is a _type that this server does not know", message.place)
      case nil: refuse("expected an object with a _type", message.place)
      }
    } catch {
      refuse(error.reason, message.place(of: error.place))
    }
  }

  // MARK: The answer

  private func submit(_ batch: Batch, _ regions: RegionsOfApp, _ received: Date, _ exchange: Exchange) {
    // Here and not after the commit: the store's thread has other things to do.
    let isToBeTold = server.regionNews.isBehind(regions.device.id) || !regions.again.isEmpty
    let problem = batch.problem
    server.store.submit(
      Submission(device: regions.device, records: batch.records, refusals: batch.refusals, received: received) { result in
        if case .failure(let error) = result { return exchange.finish(Intake.unavailable(error).response) }
        if let problem { return exchange.finish(problem.response) }
        guard isToBeTold else { return exchange.finish(.json(Array("[]".utf8))) }
        server.reading.async { exchange.finish(.json(messages(regions))) }
      })
  }

  /// What the device is to be told, once. Where it cannot be read now it is told another time.
  private func messages(_ known: RegionsOfApp) -> [UInt8] {
    let update = server.regionNews.takeUpdate(device: known.device.id, knowing: known.known, most: Self.mostRegions)
    var regions = update?.regions ?? []
    if update?.isAnew != true, !known.again.isEmpty,
      let all = try? server.regions.regionUpdate(device: known.device.id, since: nil, most: Self.mostRegions, at: Date())
    {
      let told = Set(regions.map(\.id))
      regions += all.regions.filter { known.again.contains($0.id) && !told.contains($0.id) }
    }
    var parts: [[UInt8]] = []
    if update?.isAnew == true { parts.append(Array(#"{"_type":"cmd","action":"clearWaypoints"}"#.utf8)) }
    // Only regions that were checked are there; one that somebody damaged is left out.
    let readable = regions.compactMap { try? $0.region() }
    if !readable.isEmpty {
      var text: [UInt8] = []
      OwnTracks.writeSetWaypoints(readable, into: &text)
      parts.append(text)
    }
    return [UInt8(ascii: "[")] + parts.joined(separator: [UInt8(ascii: ",")]) + [UInt8(ascii: "]")]
  }
}
