import TestTexts

/// A sequence of faults of servers and their connections that is derived from a seed.
struct FaultSchedule: Sendable, CustomStringConvertible {
  enum Fault: Sendable {
    /// A server is killed and started again.
    case kill(server: Int)
    /// A server is suspended, and resumed later.
    case freeze(server: Int)
    /// All connections of a proxy end.
    case cut(link: Int)
    /// A proxy forwards nothing for some time.
    case hold(link: Int)
    /// A proxy forwards nothing for some time, and then ends all connections.
    case holdAndCut(link: Int)
    /// The database server is killed and started again later.
    case killDatabase
    /// The clock of a server is set `seconds` ahead of the true time, and is not set back.
    case setClock(server: Int, seconds: Int)
  }
  struct Step: Sendable {
    var fault: Fault
    /// How long it lasts.
    var milliseconds: Int
    /// Batches that are acknowledged before the next fault.
    var batches: Int
  }

  let seed: UInt64
  let steps: [Step]

  /// - Parameters:
  ///   - seed: determines all steps.
  ///   - servers: the number of servers.
  ///   - links: the number of proxies.
  ///   - hasDatabase: whether there is a database server.
  init(seed: UInt64, servers: Int, links: Int, hasDatabase: Bool) {
    self.seed = seed
    var random = SeededNumbers(seed)
    steps = (0..<Int.random(in: 3...6, using: &random)).map { _ in
      let server = Int.random(in: 0..<servers, using: &random)
      let link = Int.random(in: 0..<links, using: &random)
      // Up to 1,000 seconds, or up to 30 days.
      let seconds = Int.random(in: -1_000...1_000, using: &random)
      let offset = Bool.random(using: &random) ? seconds : seconds * 2_592
      let fault: Fault =
        switch Int.random(in: 0..<(hasDatabase ? 7 : 6), using: &random) {
        case 0: .kill(server: server)
        case 1: .freeze(server: server)
        case 2: .cut(link: link)
        case 3: .hold(link: link)
        case 4: .holdAndCut(link: link)
        case 5: .setClock(server: server, seconds: offset)
        default: .killDatabase
        }
      return Step(
        fault: fault, milliseconds: Int.random(in: 0...600, using: &random), batches: Int.random(in: 1...20, using: &random))
    }
  }

  var description: String {
    "seed \(seed): " + steps.map { "\($0.fault) for \($0.milliseconds) ms" }.joined(separator: ", ")
  }
}
