import Foundation
import GodwitHTTPClient
import GodwitModel
import GodwitRegionStorage
import GodwitSQLite
import GodwitWire
import Synchronization
import Testing

@testable import Godwit

@Suite("Sync of regions on the device", .timeLimit(.minutes(20)))
struct RegionsSyncTests {
  @Test("regions of every kind are stored unchanged, fetched with the token, below the server's path")
  func everything() async throws {
    let synced = try SyncedRegions()
    synced.server.put(everyKind)
    #expect(await synced.sync() == .newData)
    #expect(Set(synced.manager.regions) == Set(everyKind))
    #expect(synced.manager.digest == synced.server.digest)
    let request = try #require(synced.server.requests.first)
    #expect(request.method == "GET" && request.url.absoluteString == "https://home.example/base/api/regions?first=500")
    #expect(request.headers["Authorization"] == "Bearer secret-token")
    // The regions are there after a relaunch.
    let again = try SyncedRegions(synced.server, folder: synced.folder)
    #expect(Set(again.manager.regions) == Set(everyKind) && again.manager.digest == synced.server.digest)
  }

  @Test("changes and deletions are fetched page by page, and nothing without a change")
  func changes() async throws {
    let synced = try SyncedRegions()
    synced.server.put((0..<1200).map { fence("r\($0)", north: Double($0)) })
    #expect(await synced.sync() == .newData)
    #expect(synced.queries == ["first=500", "after=one-500&first=500", "after=one-1000&first=500"])
    #expect(synced.ids.count == 1200)
    #expect(await synced.sync() == .noData)
    #expect(synced.server.requests.last?.headers["If-None-Match"] != nil)
    synced.server.delete("r7")
    synced.server.put([fence("r8", north: 9_999, name: "moved"), fence("new")])
    #expect(await synced.sync() == .newData)
    #expect(synced.ids.count == 1200 && synced.manager["r7"] == nil && synced.manager["r8"]?.name == "moved")
    #expect(synced.manager["new"] != nil && synced.manager.digest == synced.server.digest)
  }

  @Test(
    "a server with another history, or a cursor that is too old, causes a full sync", arguments: [true, false])
  func reset(isOtherHistory: Bool) async throws {
    let synced = try SyncedRegions()
    synced.server.put((0..<700).map { fence("r\($0)") })
    _ = await synced.sync()
    synced.server.delete("r1")
    synced.server.state.withLock { if isOtherHistory { $0.epoch = "two" } else { $0.oldest = 10_000 } }
    #expect(await synced.sync() == .newData)
    #expect(synced.ids.count == 699 && synced.manager["r1"] == nil)
    #expect(synced.manager.digest == synced.server.digest)
  }

  @Test("an interrupted sync continues at its page, also after a relaunch, and the old regions apply until its end")
  func resumes() async throws {
    let synced = try SyncedRegions()
    synced.server.put([fence("old")])
    _ = await synced.sync()
    synced.server.put((0..<1600).map { fence("r\($0)") })
    synced.server.state.withLock { $0.instead[4] = HTTPClient.Response(status: 503, headers: ["retry-after": "120"]) }
    let outcome = await synced.coordinator.sync()
    #expect(outcome.hasFailures && outcome.retryAfter == 120)
    #expect(synced.ids == ["old"])
    let again = try SyncedRegions(synced.server, folder: synced.folder)
    #expect(again.ids == ["old"])
    #expect(await again.sync() == .newData)
    #expect(again.ids.count == 1601)
    // The two pages before the failure are not requested again.
    #expect(
      synced.queries[1...].map { $0.replacingOccurrences(of: "&first=500", with: "") }
        == ["after=one-1", "after=one-501", "after=one-1001", "after=one-1001", "after=one-1501"])
  }

  @Test("a failed sync is reported with the regions in use, until one succeeds")
  func reportsFailure() async throws {
    let synced = try SyncedRegions()
    synced.server.state.withLock { $0.instead[1] = HTTPClient.Response(status: 403) }
    _ = await synced.sync()
    let problem = try #require(synced.manager.problem)
    #expect(problem.contains("is the token right? No copy of them exists yet; no region is monitored."))
    synced.server.put([fence("a"), fence("b")])
    _ = await synced.sync()
    #expect(synced.manager.problem == nil)
    synced.server.state.withLock { $0.instead[3] = HTTPClient.Response(status: 500) }
    _ = await synced.sync()
    #expect(synced.manager.problem?.hasSuffix("The previous copy is used: 2.") == true)
  }

  @Test(
    "unknown members of a newer server are stored unchanged and are part of the digest, without a full sync")
  func newerServer() async throws {
    let synced = try SyncedRegions()
    synced.server.put([fence("old")])
    _ = await synced.sync()
    func text(_ region: Region) -> String {
      let known = String(decoding: RegionJSON.canonicalBytes(of: region).dropFirst(region.id.utf8.count + 1), as: UTF8.self)
      return known.dropLast() + #","colour":"green","levels":[1,{"of":"house"}]}"#
    }
    let (shop, old) = (text(fence("shop", north: 900)), fence("old"))
    var digest = RegionDigest(of: old)
    digest.toggle(RegionDigest(id: "shop", json: Array(shop.utf8)))
    let page =
      #"{"epoch":"one","nodes":[\#(shop.dropLast()),"revision":2}],"pageInfo":{"endCursor":"one-2","hasNextPage":false},"digest":"\#(digest)"}"#
    synced.server.state.withLock { $0.instead[2] = HTTPClient.Response(status: 200, body: Array(page.utf8)) }
    #expect(await synced.sync() == .newData)
    #expect(synced.server.requests.count == 2 && synced.manager.problem == nil)
    #expect(synced.manager["shop"] == fence("shop", north: 900) && synced.manager.digest == digest.description)
    // The stored text has the unknown members, so that a later version can read them.
    var detail: String?
    try synced.manager.storage.withDatabase { detail = try $0.text("SELECT detail FROM regions WHERE id = 'shop'") }
    #expect(detail == shop)
    let again = try SyncedRegions(synced.server, folder: synced.folder)
    #expect(again.manager["shop"] == fence("shop", north: 900) && again.manager.digest == digest.description)
    // The region is changed to one without these members: only the change is requested.
    synced.server.state.withLock { $0.revision = 2 }
    synced.server.put([fence("shop", north: 950)])
    #expect(await again.sync() == .newData)
    #expect(synced.server.requests.count == 3 && again.manager.digest == synced.server.digest)
  }

  @Test("a wrong digest causes a full sync; if its digest is wrong too, the old regions remain")
  func mismatch() async throws {
    let synced = try SyncedRegions()
    synced.server.put([fence("a"), fence("b")])
    _ = await synced.sync()
    // A change that the server does not report, as if a revision were lost.
    synced.server.state.withLock { $0.regions["a"] = (fence("a", radius: 999), 1) }
    synced.server.put([fence("c")])
    #expect(await synced.sync() == .newData)
    #expect(synced.manager["a"] == fence("a", radius: 999) && synced.manager.digest == synced.server.digest)
    #expect(synced.queries.last == "first=500")
    synced.server.put([fence("d")])
    synced.server.state.withLock { $0.digest = String(repeating: "f", count: 32) }
    guard case .failed(let reason) = await synced.sync() else { return #expect(Bool(false), "the page was accepted") }
    #expect(reason.contains("digest"))
    #expect(synced.ids == ["a", "b", "c"])
    synced.server.state.withLock { $0.digest = nil }
    #expect(await synced.sync() == .newData)
    #expect(synced.ids == ["a", "b", "c", "d"])
  }

  @Test("a changed region filter causes a full sync")
  func choice() async throws {
    let synced = try SyncedRegions()
    synced.server.put([fence("a")])
    _ = await synced.sync()
    synced.participant.choice = RegionSync.Choice(tags: ["shop", "a+b"], without: ["closed"])
    _ = await synced.sync()
    #expect(synced.queries.last == "first=500&tags=shop,a%2Bb&without=closed")
    _ = await synced.sync()
    #expect(synced.queries.last == "after=one-1&first=500&tags=shop,a%2Bb&without=closed")
  }

  @Test("a region filter that changes during a sync applies from the next sync on")
  func choiceDuringSync() async throws {
    let synced = try SyncedRegions()
    let participant = synced.participant
    _ = try await participant.initialRequest()
    participant.choice = RegionSync.Choice(tags: ["shop"])
    var body: [UInt8] = []
    var page = RegionPageWriter(epoch: "one", reset: false, into: &body)
    page.append(.region(fence("a"), revision: 1), into: &body)
    page.finish(
      endCursor: "one-1", hasNextPage: true, digest: RegionDigest(of: fence("a")).description, count: 2, into: &body)
    let step = try await participant.saveResponse(SyncCoordinator.Response(status: 200, headers: [:], body: body))
    guard case .more(let next) = step else { return #expect(Bool(false), "no further page is requested") }
    #expect(next.query.map(\.name) == ["after", "first"])
    // The pages of the other filter are not continued.
    #expect(try await participant.initialRequest()?.query.map(\.name) == ["first", "tags"])
    #expect(synced.ids.isEmpty)
  }

  /// Tests invalid responses.
  @Test(
    "an invalid page is an error, and changes nothing",
    arguments: [
      (#"{"epoch":"one","nodes":[{"id":"x","radius":-1}]}"#, "cannot be read"),
      (#"{"epoch":"one","nodes":[],"pageInfo":{"hasNextPage":false}}"#, "digest"),
      (
        #"{"epoch":"one","nodes":[],"pageInfo":{"hasNextPage":true},"digest":"00000000000000000000000000000000"}"#,
        "without a cursor"
      ),
      ("<html>", "cannot be read"),
    ])
  func invalidPage(body: String, message: String) async throws {
    let synced = try SyncedRegions()
    synced.server.put([fence("a")])
    _ = await synced.sync()
    synced.server.state.withLock { $0.instead[2] = HTTPClient.Response(status: 200, body: Array(body.utf8)) }
    guard case .failed(let reason) = await synced.sync() else { return #expect(Bool(false), "the page was accepted") }
    #expect(reason.contains(message), "\(reason)")
    #expect(synced.ids == ["a"])
  }

  @Test("a response that is too long is requested in smaller pages")
  func cut() async throws {
    let synced = try SyncedRegions()
    synced.server.put((0..<300).map { fence("r\($0)") })
    let long = [UInt8](repeating: 32, count: HTTPClient.maximumResponseSize)
    synced.server.state.withLock { $0.instead[1] = HTTPClient.Response(status: 200, body: long) }
    #expect(await synced.sync() == .newData)
    #expect(synced.queries.prefix(2) == ["first=500", "first=125"] && synced.ids.count == 300)
  }
}

extension SyncedRegions {
  fileprivate var queries: [String] { server.queries }
}
