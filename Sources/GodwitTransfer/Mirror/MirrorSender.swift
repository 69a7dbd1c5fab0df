internal import Foundation
package import GodwitHTTPClient
internal import GodwitMirror
internal import GodwitModel
internal import GodwitServices
package import GodwitStore

/// Sends all points and events of the store, and all changes, to another server, the mirror.
///
/// Changes are in the store's list of changes; see ``MirrorChanges``. A change is removed from the list after the mirror
/// has acknowledged its records. After a crash, a lost response or an outage, records are repeated, which the mirror
/// recognizes; none are lost. Several servers of a database lease the mirror, so that only one of them sends.
package struct MirrorSender: Service {
  private let database: any StoreDatabase
  private let options: MirrorOptions
  private let client: MirrorClient
  private let random: @Sendable () -> Double
  /// The name of this server for the lease.
  private let holder: String

  /// The pauses after failures, as for webhooks, but at most five minutes.
  private static let backoff = ExponentialBackoff(first: 1, maximum: 300)
  private static let jitter = 0.2
  /// Seconds of a lease.
  private static let lease = 180.0
  /// Maximum changes of one step.
  private static let batch = 1_000
  /// Maximum devices that are sent concurrently.
  private static let concurrency = 4

  /// - Parameters:
  ///   - database: the store.
  ///   - options: the configuration of the mirror.
  ///   - network: the network; replaceable in tests.
  ///   - random: returns random numbers, 0 ..< 1, for the jitter of the pauses.
  package init(
    _ database: any StoreDatabase, to options: MirrorOptions, network: HTTPClient = .live(),
    random: @escaping @Sendable () -> Double = { .random(in: 0..<1) }
  ) {
    (self.database, self.options, self.random) = (database, options, random)
    client = MirrorClient(options, network: network)
    holder = UUID().uuidString
  }

  package var priority: TaskPriority? { .utility }

  /// Sends until the task is cancelled. A step that was cancelled is repeated by the next run.
  package func run() async throws {
    do { try await sendAll() } catch {
      // The lease is released, so that another server, or the next run, continues immediately.
      let holder = holder
      _ = try? await database.write { try MirrorTables.release(by: holder, $0) }
      throw error
    }
  }

  /// Sends until the task is cancelled.
  ///
  /// - Throws: `CancellationError` only.
  private func sendAll() async throws {
    var isConfigured = false
    while !Task.isCancelled {
      var didSend = false
      do {
        if !isConfigured { try await configure() }
        isConfigured = true
        didSend = try await step()
      } catch let cancellation as CancellationError {
        throw cancellation
      } catch {
        // The store failed, and reports its error itself.
      }
      if !didSend { try await database.clock.sleep(for: .seconds(1)) }
    }
    throw CancellationError()
  }

  /// Configures the mirror in the store, so that changes are recorded from now on.
  package func configure() async throws {
    let source = UUID().uuidString.lowercased()
    let url = options.url
    try await database.write { try MirrorTables.configure(url, source: source, $0) }
  }

  /// The pending work of a step.
  private struct Work {
    var source = ""
    var removed: [MirrorTables.MirroredDevice] = []
    var renamed: [MirrorTables.MirroredDevice] = []
    var new: [MirrorTables.MirroredDevice] = []
    var changes: [MirrorChanges.Change] = []
    var uncopied: [(device: Int64, next: Int64)] = []
    var names: [Int64: String] = [:]

    init(_ db: any SQLConnection) throws {
      guard let source = try MirrorTables.source(db) else { return }
      self.source = source
      removed = try MirrorTables.removedDevices(db)
      for (device, isNew) in try MirrorTables.changedDevices(db) {
        if isNew { new.append(device) } else { renamed.append(device) }
      }
      changes = try MirrorChanges.oldest(limit: MirrorSender.batch, db)
      uncopied = try MirrorTables.uncopied(limit: MirrorSender.concurrency, db)
      guard !isEmpty else { return }
      for device in try TrackTables.devices(db) { names[device.id] = device.name }
    }

    var isEmpty: Bool {
      removed.isEmpty && renamed.isEmpty && new.isEmpty && changes.isEmpty && uncopied.isEmpty
    }
  }

  /// Sends the oldest changes, and a part of the history that is not yet copied.
  /// - Returns: whether anything was sent; more may be pending.
  /// - Throws: the store's error, or `CancellationError`.
  package func step() async throws -> Bool {
    let now = database.clock.now
    let work = try database.read { try Work($0) }
    guard !work.isEmpty else { return false }
    let (holder, url) = (holder, options.url)
    let isOurs = try await database.write { db in
      try MirrorChanges.date(at: now, db)
      return try MirrorTables.claim(by: holder, to: url, for: Self.lease, at: now, db)
    }
    guard isOurs else { return false }
    do {
      try await send(work)
      return true
    } catch let cancellation as CancellationError {
      throw cancellation
    } catch {
      try await recordFailure(error)
      return false
    }
  }

  /// Records a failed attempt, and the time of the next one.
  private func recordFailure(_ error: any Error) async throws {
    // A request that the shutdown cancelled is not an attempt.
    try Task.checkCancellation()
    let now = database.clock.now
    let failures = try database.read { try MirrorTables.failures($0) } + 1
    let pause = Self.backoff.pause(after: failures) * (1 + Self.jitter * (2 * random() - 1))
    let requested = (error as? MirrorError)?.retryAfter ?? 0
    let next = now.addingTimeInterval(max(pause, min(requested, Self.backoff.maximum)))
    let reason = "\(error)"
    try await database.write { try MirrorTables.recordFailure(reason, next: next, at: now, $0) }
  }

  private func send(_ work: Work) async throws {
    for device in work.removed {
      try await client.delete(device.device, of: work.source)
      try await succeed { try MirrorTables.remove(device.device, $0) }
    }
    for device in work.renamed {
      // The range is empty, because only the name has changed.
      _ = try await client.send([], of: device, from: work.source, 0..<0, removal: .none, isHistory: true)
      try await succeed { try MirrorTables.rename(device, $0) }
    }
    if !work.new.isEmpty {
      try await database.write { db in for device in work.new { try MirrorTables.add(device, db) } }
    }
    try await sendChanges(work)
    for (device, next) in work.uncopied { try await copy(device, from: next, work) }
  }

  /// Sends changes, for several devices concurrently.
  private func sendChanges(_ work: Work) async throws {
    let groups = Dictionary(grouping: work.changes, by: \.device).sorted { $0.value[0].id < $1.value[0].id }
    try await withThrowingTaskGroup(of: Void.self) { group in
      var waiting = groups[...]
      for (device, changes) in waiting.prefix(Self.concurrency) { group.addTask { try await send(changes, of: device, work) } }
      waiting = waiting.dropFirst(Self.concurrency)
      while try await group.next() != nil {
        guard let (device, changes) = waiting.popFirst() else { continue }
        group.addTask { try await send(changes, of: device, work) }
      }
    }
  }

  /// Sends the changes of one device in the order of time.
  private func send(_ changes: [MirrorChanges.Change], of device: Int64, _ work: Work) async throws {
    guard let name = work.names[device] else {
      // The device was deleted. Its deletion at the mirror is sent separately.
      try await database.write { try MirrorChanges.finish(changes, before: nil, $0) }
      return
    }
    let mirrored = MirrorTables.MirroredDevice(device: device, name: name)
    for range in MirrorRange.merged(changes) {
      var first = range.times.lowerBound
      while true {
        let page = try MirrorPage(of: device, first..<range.times.upperBound, in: database)
        let end = page.next ?? range.times.upperBound
        let receipt = try await client.send(
          page.records, of: mirrored, from: work.source, first..<end, removal: range.removal, isHistory: range.isHistory)
        try await succeed(receipt) { try MirrorChanges.finish(changes, before: end, $0) }
        guard page.next != nil else { break }
        first = end
      }
    }
    try await database.write { try MirrorChanges.finish(changes, before: nil, $0) }
  }

  /// Copies the next part of a device's history. Nothing is deleted, because the mirror may have records that this server
  /// lost.
  private func copy(_ device: Int64, from first: Int64, _ work: Work) async throws {
    guard let name = work.names[device] else { return }
    let page = try MirrorPage(of: device, first..<Int64.max, in: database)
    let receipt = try await client.send(
      page.records, of: MirrorTables.MirroredDevice(device: device, name: name), from: work.source,
      first..<(page.next ?? Int64.max), removal: .none, isHistory: true)
    try await succeed(receipt) { try MirrorTables.setCopied(upTo: page.next, ofDevice: device, $0) }
  }

  /// Records an acknowledgement of the mirror.
  private func succeed(
    _ receipt: MirrorClient.Receipt? = nil, _ body: @escaping @Sendable (any SQLConnection) throws -> Void
  ) async throws {
    let (now, holder, url) = (database.clock.now, holder, options.url)
    try await database.write { db in
      try body(db)
      try MirrorTables.recordSuccess(sent: receipt?.saved ?? 0, rejected: receipt?.rejected ?? 0, at: now, db)
      if let reason = receipt?.reason { try MirrorTables.recordRejection(reason, at: now, db) }
      _ = try MirrorTables.claim(by: holder, to: url, for: Self.lease, at: now, db)
    }
  }
}
