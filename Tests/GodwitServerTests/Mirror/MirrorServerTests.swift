import Foundation
import GodwitHTTP
import GodwitModel
import Synchronization
import TestClient
import TestParts
import Testing

@testable import GodwitServer
@testable import GodwitStore
@testable import GodwitTransfer

/// Two running servers with sockets.
@Suite("A server and its mirror", .timeLimit(.minutes(20)))
struct MirrorServerTests {
  @Test("a running server copies new records to its mirror", arguments: StoreKind.tested)
  func copies(_ kind: StoreKind) async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-mirror-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let listen = try #require(ListenAddress("127.0.0.1:0"))
    let copy = try Server(
      configuration: Server.Configuration(listen: listen, dataFolder: folder.appendingPathComponent("copy").path))
    let (ports, source) = AsyncStream<UInt16>.makeStream()
    // The numbers of records that the mirror stored.
    let (arrivals, arrived) = AsyncStream<Int>.makeStream()
    copy.store.observeCommits { group in for (_, stored) in group where stored.saved > 0 { arrived.yield(stored.saved) } }
    // The stream also ends if the server fails, so that the test does not wait.
    let copying = Task {
      defer { source.finish() }
      try await copy.run { source.yield($0) }
    }
    defer { copying.cancel() }
    let port = try #require(await ports.first { _ in true })
    let token = try String(contentsOf: folder.appendingPathComponent("copy/admin-token"), encoding: .utf8)
    let place = try ContractStore(kind)
    defer { place.end() }
    var configuration = Server.Configuration(listen: listen, dataFolder: folder.appendingPathComponent("own").path)
    configuration.store = try place.location()
    configuration.mirror = MirrorOptions(
      url: "http://127.0.0.1:\(port)", token: token.trimmingCharacters(in: .whitespacesAndNewlines))
    let server = try Server(configuration: configuration)
    let (begun, beginning) = AsyncStream<UInt16>.makeStream()
    let serving = Task {
      defer { beginning.finish() }
      try await server.run { beginning.yield($0) }
    }
    defer { serving.cancel() }
    _ = try #require(await begun.first { _ in true })
    let walker = try server.store.makeDevice("walker")
    var waiting = arrivals.makeAsyncIterator()
    for round in 0..<6 {
      _ = try await server.store.store(
        try (round * 100..<round * 100 + 100).map { try MirrorHarness.fix($0, journal: 4) }, of: walker, at: Date())
      var missing = 100
      while missing > 0, let count = await waiting.next() { missing -= count }
    }
    let own = Set(try MirrorHarness.records(of: "walker", in: server.store))
    #expect(own == Set(try MirrorHarness.records(of: "walker", in: copy.store)) && own.count == 600)
    for task in [serving, copying] {
      task.cancel()
      _ = try? await task.value
    }
  }
}
