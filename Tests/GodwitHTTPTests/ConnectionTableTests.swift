import Testing

@testable import GodwitHTTP

@Suite("The table of connections")
struct ConnectionTableTests {
  private static func network(_ number: Int) -> ClientNetwork { ClientNetwork("192.0.2.\(number)") }

  private static func table(total: Int = 100, perNetwork: Int = 10) -> Table {
    Table(
      ConnectionTable(
        limits: ConnectionTable.Limits(total: total, perNetwork: perNetwork, headerTime: 10_000, idleTime: 30_000)))
  }

  /// A reference to a table: the expression of an expectation cannot call a mutating method.
  private final class Table {
    private var table: ConnectionTable
    init(_ table: ConnectionTable) { self.table = table }

    var count: Int { table.count }
    func count(of network: ClientNetwork) -> Int { table.count(of: network) }
    func admits(_ network: ClientNetwork) -> Bool { table.admits(network) }
    @discardableResult
    func open(_ id: Int, of network: ClientNetwork, at now: Int64) -> Int32? {
      table.open(UInt(id), Int32(id), of: network, at: now)
    }
    func close(_ id: Int) { table.close(UInt(id)) }
    func begin(_ id: Int, for client: ClientNetwork?) -> Bool { table.begin(UInt(id), for: client) }
    func end(_ id: Int, at now: Int64) { table.end(UInt(id), at: now) }
    func receivedLine(_ id: Int, at now: Int64) { table.receivedLine(UInt(id), at: now) }
    func receiveAnonymously(_ id: Int, at now: Int64) { table.receiveAnonymously(UInt(id), at: now) }
    func overdue(at now: Int64) -> [Int32] { table.overdue(at: now) }
  }

  @Test("a network at its limit may open no more connections, and another network may")
  func share() {
    let table = Self.table()
    for id in 1...10 {
      #expect(table.admits(Self.network(1)))
      #expect(table.open(id, of: Self.network(1), at: 0) == nil)
    }
    #expect(!table.admits(Self.network(1)))
    #expect(table.admits(Self.network(2)))
    table.close(1)
    #expect(table.admits(Self.network(1)))
    #expect(Self.table(perNetwork: 0).admits(Self.network(1)))
  }

  @Test("all addresses of an IPv6 /64 are one client")
  func sixtyFour() {
    let table = Self.table(perNetwork: 1)
    table.open(1, of: ClientNetwork("2001:db8:0:1::1"), at: 0)
    #expect(!table.admits(ClientNetwork("2001:db8:0:1:ffff::2")))
    #expect(table.admits(ClientNetwork("2001:db8:0:2::1")))
  }

  // A slow header must not hold a connection permanently.
  @Test("a connection is overdue after ten seconds unless the headers of a request are complete")
  func deadline() {
    let table = Self.table()
    table.open(1, of: Self.network(1), at: 0)
    table.open(2, of: Self.network(1), at: 0)
    #expect(table.begin(2, for: nil))
    #expect(table.overdue(at: 9_999).isEmpty)
    #expect(table.overdue(at: 10_000) == [1])
    #expect(table.overdue(at: 20_000).isEmpty, "it is closed once")
    // After a response, the idle timeout applies until the first line of the next request arrives.
    table.end(2, at: 20_000)
    #expect(table.overdue(at: 59_999).isEmpty)
    table.receivedLine(2, at: 40_000)
    #expect(table.overdue(at: 50_000) == [2])
  }

  @Test("when the table is nearly full, the oldest idle connection of the network with the most connections is closed")
  func crowd() {
    let table = Self.table(total: 32, perNetwork: 0)
    table.open(1, of: Self.network(1), at: 0)
    for id in 2...30 { #expect(table.open(id, of: Self.network(2), at: Int64(id)) == nil) }
    #expect(table.open(31, of: Self.network(3), at: 31) == 2)
    #expect(table.open(32, of: Self.network(4), at: 32) == 3, "connection 2 is already closing")
    table.close(2)
    table.close(3)
    #expect(table.begin(4, for: nil))
    #expect(table.open(33, of: Self.network(5), at: 33) == 5, "connection 4 has a request")
  }

  @Test("without an idle connection, one that sends a body without credentials is closed for a new connection")
  func receiving() {
    let table = Self.table(total: 16, perNetwork: 0)
    for id in 1...14 {
      table.open(id, of: Self.network(id), at: Int64(id))
      #expect(table.begin(id, for: nil))
    }
    #expect(table.open(15, of: Self.network(15), at: 15) == nil)
    table.close(15)
    table.receiveAnonymously(7, at: 20)
    #expect(table.open(16, of: Self.network(15), at: 30) == 7)
  }

  @Test("a forwarded request counts for the client, and idle connections of the proxy count for no client")
  func proxy() {
    let table = Self.table(total: 100, perNetwork: 2)
    let proxy = ClientNetwork("127.0.0.1")
    for id in 1...6 {
      #expect(table.admits(proxy), "connection \(id)")
      table.open(id, of: proxy, at: 0)
      #expect(table.begin(id, for: Self.network(id / 2 + 1)))
    }
    #expect(table.count(of: Self.network(2)) == 2)
    table.open(7, of: proxy, at: 0)
    #expect(!table.begin(7, for: Self.network(2)), "the third connection of this client")
    for id in 1...7 { table.end(id, at: 1) }
    #expect(table.count(of: Self.network(2)) == 0 && table.count(of: proxy) == 0)
    for id in 1...7 { table.close(id) }
    #expect(table.count == 0)
  }
}
