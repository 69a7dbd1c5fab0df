internal import Foundation
internal import GodwitLocks
internal import GodwitModel
internal import GodwitRegionStorage
internal import GodwitWire

/// The sync of a server's regions, for an app that has a ``RegionManager`` without a tracker:
///
///     let sync = SyncCoordinator(
///       configuration: SyncCoordinator.Configuration(server: server, token: .fixed(token)),
///       participants: [RegionSync(manager: regions)])
///     _ = await sync.sync()
///
/// Pages are staged beside the active regions. After the last page the staged regions replace the active ones if their
/// digest equals the server's.
public final class RegionSync: SyncParticipant {
  /// A filter of the regions that the server offers a device.
  public struct Choice: Sendable, Hashable {
    /// Only regions with one of these tags; empty: all.
    public var tags: [String]
    /// No regions with one of these tags.
    public var without: [String]

    /// - Parameters:
    ///   - tags: a region has one of them; empty: all regions.
    ///   - without: a region has none of them.
    public init(tags: [String] = [], without: [String] = []) {
      self.tags = tags
      self.without = without
    }

    var query: [URLQueryItem] {
      var items: [URLQueryItem] = []
      if !tags.isEmpty { items.append(URLQueryItem(name: "tags", value: tags.joined(separator: ","))) }
      if !without.isEmpty { items.append(URLQueryItem(name: "without", value: without.joined(separator: ","))) }
      return items
    }

    /// The filter as text, which identifies it in the regions' file.
    var name: String { "\(tags.joined(separator: ","));\(without.joined(separator: ","))" }
  }

  private struct State {
    var choice: Choice
    /// The filter of the current sync.
    var current: Choice
    /// The requested number of regions of a page.
    var first = RegionSync.maximumConcurrent
    /// The cursor of the last request; `nil`: from the beginning.
    var after: String?
    /// Whether this sync requests a full copy.
    var isWhole = false
  }

  public let name = "regions"
  private let manager: RegionManager
  private let state: Mutex<State>

  /// Maximum regions of a page.
  static let maximumConcurrent = 500
  static let path = "/api/regions"

  /// - Parameters:
  ///   - manager: the manager of the regions.
  ///   - choice: the filter.
  public init(manager: RegionManager, choice: Choice = Choice()) {
    self.manager = manager
    state = Mutex(State(choice: choice, current: choice))
  }

  /// The filter, from the next sync on.
  public var choice: Choice {
    get { state.withLock { $0.choice } }
    set { state.withLock { $0.choice = newValue } }
  }

  public func initialRequest() async throws -> SyncCoordinator.Request? {
    // One filter applies to all pages of a sync, because the cursor depends on it.
    let choice = state.withLock { state in
      state.current = state.choice
      return state.current
    }
    var position = try manager.storage.position()
    // Staged regions of another filter are not continued.
    if position.staged != nil, position.stagedQuery != choice.name {
      try manager.storage.discard()
      position.staged = nil
    }
    if position.query != choice.name { (position.cursor, position.tag) = (nil, nil) }
    let isWhole = position.staged == nil ? position.cursor == nil : position.isStagedWhole
    return request(after: position.staged ?? position.cursor, isWhole: isWhole, tag: position.staged == nil ? position.tag : nil)
  }

  private func request(after: String?, isWhole: Bool, tag: String? = nil) -> SyncCoordinator.Request {
    state.withLock { state in
      state.after = after
      state.isWhole = isWhole
      var request = SyncCoordinator.Request(path: Self.path)
      if let after { request.query.append(URLQueryItem(name: "after", value: after)) }
      request.query.append(URLQueryItem(name: "first", value: String(state.first)))
      request.query += state.current.query
      if let tag { request.headers["If-None-Match"] = tag }
      return request
    }
  }

  public func saveResponse(_ response: SyncCoordinator.Response) async throws -> SyncCoordinator.Step {
    let (after, isWhole, first) = state.withLock { ($0.after, $0.isWhole, $0.first) }
    if response.status == 304 { return .noData }
    if response.isCut {
      guard first > 1 else { return .failed("A region is larger than the limit of a response.") }
      state.withLock { $0.first = max(1, first / 4) }
      return .more(request(after: after, isWhole: isWhole))
    }
    let page: RegionPage
    do { page = try RegionPage.read(response.body) } catch {
      return .failed("The server's regions cannot be read: \(error)")
    }
    return try store(page, tag: response.headers["etag"], after: after, isWhole: isWhole)
  }

  private func store(_ page: RegionPage, tag: String?, after: String?, isWhole: Bool) throws -> SyncCoordinator.Step {
    let isBeginning = after == nil || page.reset
    if page.hasNextPage, page.endCursor == nil || page.endCursor == after {
      return .failed("The server announced more regions without a cursor.")
    }
    let digest = page.digest.flatMap { RegionDigest($0) }
    if !page.hasNextPage, digest == nil { return .failed("The server's regions have no digest.") }
    // The server has another history, and did not ask for a reset: the copy is requested from the beginning.
    let position = try manager.storage.position()
    if !isBeginning, let epoch = position.staged == nil ? position.epoch : position.stagedEpoch, epoch != page.epoch {
      return try fromBeginning()
    }
    let staging = try manager.storage.stage(
      RegionStorage.Page(
        nodes: page.nodes, epoch: page.epoch, cursor: page.endCursor ?? after ?? "", isBeginning: isBeginning,
        digest: page.hasNextPage ? nil : digest, tag: tag, query: state.withLock { $0.current.name }, texts: page.texts))
    switch staging {
    case .staged: return .more(request(after: page.endCursor, isWhole: isWhole || isBeginning))
    case .unchanged: return .noData
    case .swapped:
      try manager.reload()
      return .newData(next: nil)
    case .mismatch(let found):
      // The copy missed changes, so a full copy is requested.
      if !isWhole, !isBeginning { return try fromBeginning() }
      return .failed("The server's digest \(page.digest ?? "") is not the \(found) of its regions; the old ones stay in use.")
    }
  }

  public func syncEnded(_ result: SyncCoordinator.Result) async {
    // Cancellation is not a failure of the server.
    guard !Task.isCancelled else { return }
    if case .failed(let reason) = result { manager.synced(problem: reason) } else { manager.synced(problem: nil) }
  }

  private func fromBeginning() throws -> SyncCoordinator.Step {
    try manager.storage.discard()
    return .more(request(after: nil, isWhole: true))
  }
}
