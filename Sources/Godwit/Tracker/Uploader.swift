internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel

/// Performs the engine's uploads and reports their results.
struct Uploader: Sendable {
  let endpoints: [Endpoint]
  let delivery: Delivery
  let mailbox: Mailbox
  let regions: RegionManager?
  let sync: SyncCoordinator?
  /// A random number, 0 ..< 1.
  let random: @Sendable () -> Double

  /// Uploads a batch, and posts the result to the mailbox.
  /// - Parameter know: called before the result is posted, with the name of the device's place, if the server reported it.
  func upload(
    to id: EndpointID, _ request: UploadRequest, _ settings: Settings, know: @Sendable (String) async -> Void
  ) async {
    // A tracker that ends starts no upload. The records stay in the journal.
    guard !Task.isCancelled, let endpoint = endpoints.first(where: { $0.id == id }) else { return }
    let result: UploadResult
    switch await delivery.upload(to: endpoint, request, settings: settings) {
    case .acknowledged(let said):
      if let offered = said.settings { mailbox.post(.settingsOffered(endpoint.id, DesiredSetting.read(offered))) }
      if let placeName = said.placeName { await know(placeName) }
      if let digest = said.regions { hint(regions: digest) }
      result = .accepted(remaining: 0, bytes: said.bytes)
    case .nothingToSend: result = .nothingToSend
    case .notYet(let until): result = .notYet(until: until)
    case .failed(let reason, let retryAfter):
      // The end of the tracker is not a failure of the endpoint.
      guard !Task.isCancelled else { return }
      result = .failed(reason: reason, retryAfter: retryAfter, jitter: random())
    case .faulted(let reason, let status, let count):
      result = .faulted(reason: reason, status: status, count: count, jitter: random())
    case .rejected(let reason, let count): result = .rejected(reason: reason, count: count)
    case .unauthorized(let reason): result = .unauthorized(reason: reason, jitter: random())
    }
    mailbox.post(.uploadFinished(endpoint.id, result))
  }

  /// Quarantines the next record of an endpoint, and posts the result.
  func quarantineNext(of id: EndpointID, _ reason: String, _ writer: inout RecordWriter) {
    let jitter = random()
    do {
      try delivery.quarantineNext(of: id, reason: reason)
      writer.countQuarantined()
      let remaining = writer.journal.waiting(endpoint: id.name)
      mailbox.post(.uploadFinished(id, .quarantined(remaining: remaining, jitter: jitter)))
    } catch {
      writer.failed(error)
      mailbox.post(.uploadFinished(id, .failed(reason: "\(error)", retryAfter: nil, jitter: jitter)))
    }
  }

  /// Requests a sync of the regions if the server reported another digest.
  private func hint(regions digest: String) {
    guard let regions, let sync, regions.digest != digest else { return }
    sync.hint()
  }
}
