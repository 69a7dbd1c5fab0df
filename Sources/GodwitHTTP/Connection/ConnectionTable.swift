/// The open connections of a listener. Counts the connections of each client network, and decides which of them to close.
/// It uses neither a clock nor sockets.
///
/// A connection counts for the network of its peer. While a request that a trusted proxy forwards is answered, the
/// connection counts for the network of the proxy's client; between such requests it counts for no network.
struct ConnectionTable {
  /// Limits of connections.
  struct Limits: Sendable, Hashable {
    /// Maximum concurrent connections.
    var total = 4096
    /// Maximum concurrent connections of one client network; 0: no limit besides ``total``.
    var perNetwork = 256
    /// Milliseconds from the connection, or from the first line of a request, to the end of the request's headers.
    var headerTime: Int64 = 10_000
    /// Milliseconds that a connection may wait for its next request.
    var idleTime: Int64 = 30_000

    /// Number of connections above which each new connection closes the oldest idle one.
    var comfortable: Int { max(1, total - max(2, total / 16)) }
  }

  /// Identifies a connection; never used twice.
  typealias ID = UInt

  private enum Phase {
    /// No request, or an incomplete head of one. The connection is closed at the given time.
    case waiting(until: Int64)
    /// The body of a request without credentials is being received.
    case receiving
    case answering
  }

  private struct Entry {
    var descriptor: Int32
    var peer: ClientNetwork
    /// `nil`: a proxy's connection between two requests.
    var charged: ClientNetwork?
    var phase: Phase
    /// The start of the current phase, in milliseconds.
    var since: Int64
    var isClosing = false
  }

  let limits: Limits
  private var entries: [ID: Entry] = [:]
  private var counts: [ClientNetwork?: Int] = [:]

  init(limits: Limits) { self.limits = limits }

  /// Number of open connections.
  var count: Int { entries.count }

  /// Number of connections that count for a network.
  func count(of network: ClientNetwork) -> Int { counts[network] ?? 0 }

  /// Whether another connection of a network is accepted.
  func admits(_ network: ClientNetwork) -> Bool { limits.perNetwork <= 0 || count(of: network) < limits.perNetwork }

  /// Adds a connection.
  /// - Returns: the descriptor of the connection to close; `nil`: the limit is not reached, or all other connections are in
  ///   use.
  mutating func open(_ id: ID, _ descriptor: Int32, of peer: ClientNetwork, at now: Int64) -> Int32? {
    let victim = entries.count >= limits.comfortable ? evictionCandidate() : nil
    entries[id] = Entry(
      descriptor: descriptor, peer: peer, charged: peer, phase: .waiting(until: now + limits.headerTime), since: now)
    counts[peer, default: 0] += 1
    guard let victim, let found = entries[victim]?.descriptor else { return nil }
    entries[victim]?.isClosing = true
    return found
  }

  /// Removes a connection. Its descriptor may be reused afterwards.
  mutating func close(_ id: ID) {
    guard let entry = entries.removeValue(forKey: id) else { return }
    discharge(entry.charged)
  }

  /// Marks the arrival of a request's first line.
  mutating func receivedLine(_ id: ID, at now: Int64) {
    guard let entry = entries[id], case .waiting(let end) = entry.phase else { return }
    entries[id]?.phase = .waiting(until: min(end, now + limits.headerTime))
  }

  /// Marks the end of a request's headers.
  /// - Parameter client: the network for which a trusted proxy forwards the request; `nil`: the peer is the client.
  /// - Returns: whether the network is within its limit.
  mutating func begin(_ id: ID, for client: ClientNetwork?) -> Bool {
    guard let entry = entries[id] else { return true }
    let payer = client ?? entry.peer
    if entry.charged != payer {
      discharge(entry.charged)
      counts[payer, default: 0] += 1
      entries[id]?.charged = payer
    }
    entries[id]?.phase = .answering
    return limits.perNetwork <= 0 || count(of: payer) <= limits.perNetwork
  }

  /// Marks the start of a body from a client without credentials.
  mutating func receiveAnonymously(_ id: ID, at now: Int64) {
    entries[id]?.phase = .receiving
    entries[id]?.since = now
  }

  /// Marks the end of a request.
  mutating func end(_ id: ID, at now: Int64) {
    guard let entry = entries[id] else { return }
    if entry.charged != entry.peer {
      discharge(entry.charged)
      counts[nil, default: 0] += 1
      entries[id]?.charged = nil
    }
    entries[id]?.phase = .waiting(until: now + limits.idleTime + limits.headerTime)
    entries[id]?.since = now
  }

  /// Returns the descriptors of connections whose request did not arrive in time.
  mutating func overdue(at now: Int64) -> [Int32] {
    var found: [Int32] = []
    for (id, entry) in entries {
      guard !entry.isClosing, case .waiting(let end) = entry.phase, end <= now else { continue }
      entries[id]?.isClosing = true
      found.append(entry.descriptor)
    }
    return found
  }

  /// Returns the connection that has waited longest, of the network with the most waiting connections. If no connection
  /// waits, returns the one that has received a body without credentials for the longest time.
  private func evictionCandidate() -> ID? {
    var waiting: [ClientNetwork?: (count: Int, oldest: ID, since: Int64)] = [:]
    var receiving: (id: ID, since: Int64)?
    for (id, entry) in entries where !entry.isClosing {
      switch entry.phase {
      case .answering: continue
      case .receiving:
        if receiving.map({ entry.since < $0.since }) ?? true { receiving = (id, entry.since) }
      case .waiting:
        guard let known = waiting[entry.charged] else {
          waiting[entry.charged] = (1, id, entry.since)
          continue
        }
        // If two started to wait at the same time, the older connection is closed.
        let isOlder = (entry.since, id) < (known.since, known.oldest)
        waiting[entry.charged] = (known.count + 1, isOlder ? id : known.oldest, min(entry.since, known.since))
      }
    }
    let maximum = waiting.max { ($0.value.count, -$0.value.since) < ($1.value.count, -$1.value.since) }
    return maximum?.value.oldest ?? receiving?.id
  }

  private mutating func discharge(_ network: ClientNetwork?) {
    guard let count = counts[network] else { return }
    counts[network] = count > 1 ? count - 1 : nil
  }
}
