import Foundation
import GodwitModel
import GodwitRegionStorage
import GodwitSQLite
import GodwitWire
import Testing

@testable import Godwit

@Suite("Regions on disk")
struct RegionsStorageTests {
  private let old = (0..<40).map { fence("old \($0)", north: Double($0)) }
  private let new = (0..<60).map { fence("new \($0)", north: Double($0), name: String(repeating: "n", count: 100)) }

  private func digest(_ regions: [Region]) -> RegionDigest {
    regions.reduce(into: RegionDigest.empty) { $0.toggle(RegionDigest(of: $1)) }
  }

  /// Two pages that replace everything.
  private func pages() -> [RegionStorage.Page] {
    let nodes = new.map { RegionPage.Node.region($0, revision: 1) }
    return [
      RegionStorage.Page(nodes: Array(nodes.prefix(30)), epoch: "e", cursor: "30", isBeginning: true),
      RegionStorage.Page(nodes: Array(nodes.dropFirst(30)), epoch: "e", cursor: "60", digest: digest(new)),
    ]
  }

  private func makeOld(_ path: String) throws -> RegionStorage {
    let storage = try RegionStorage(path: path, newID: 7)
    let nodes = old.map { RegionPage.Node.region($0, revision: 1) }
    let page = RegionStorage.Page(nodes: nodes, epoch: "e", cursor: "40", isBeginning: true, digest: digest(old))
    #expect(try storage.stage(page) == .swapped)
    return storage
  }

  @Test("a truncated log leaves the old regions or the new ones, with cursor and digest, never a part")
  func torn() throws {
    let folder = try TemporaryFolder()
    let storage = try makeOld(folder.journal)
    try storage.checkpoint()
    let file = try Data(contentsOf: URL(fileURLWithPath: folder.journal))
    for page in pages() { _ = try storage.stage(page) }
    let log = try Data(contentsOf: URL(fileURLWithPath: folder.journal + "-wal"))
    var seen: Set<String> = []
    for end in stride(from: 0, through: log.count, by: 1021) + [log.count] {
      let remains = try TemporaryFolder()
      try file.write(to: URL(fileURLWithPath: remains.journal))
      try log.prefix(end).write(to: URL(fileURLWithPath: remains.journal + "-wal"))
      let (left, catalogue) = try RegionStorage.open(path: remains.journal, newID: 8)
      let position = try left.position()
      let isNew = position.cursor == "60"
      seen.insert(isNew ? "new" : position.staged == nil ? "old" : "staged")
      #expect(Set(catalogue.regions) == Set(isNew ? new : old), "the log ends after \(end) bytes")
      #expect(catalogue.digest == digest(isNew ? new : old).description && left.id == "7")
      #expect(position.staged == nil || position.staged == "30" && position.isStagedWhole)
      // The sync continues from there.
      if !isNew {
        for page in pages().dropFirst(position.staged == nil ? 0 : 1) { _ = try left.stage(page) }
        #expect(Set(try left.catalogue().regions) == Set(new))
      }
    }
    #expect(seen == ["old", "staged", "new"])
  }

  @Test("a full disk at any step of a sync leaves the old regions, and the sync continues when there is space")
  func full() throws {
    var failures = 0
    for pages in 0..<40 {
      let folder = try TemporaryFolder()
      let storage = try makeOld(folder.journal)
      try storage.fill(leaving: pages)
      do {
        for page in self.pages() { _ = try storage.stage(page) }
        #expect(Set(try storage.catalogue().regions) == Set(new))
      } catch let error as SQLiteError {
        failures += 1
        #expect(error.isFull)
        #expect(try Set(storage.catalogue().regions) == Set(old) && storage.position().cursor == "40")
        try storage.makeRoom()
        for page in self.pages().dropFirst(try storage.position().staged == nil ? 0 : 1) { _ = try storage.stage(page) }
        #expect(Set(try storage.catalogue().regions) == Set(new))
      }
    }
    #expect(failures > 3 && failures < 40)
  }

  @Test("the state of the evaluation and its events are committed together; numbers are never reused")
  func events() throws {
    let folder = try TemporaryFolder()
    let storage = try RegionStorage(path: folder.journal, newID: 1)
    let event = RegionEvent(time: start, kind: .entered, region: RegionMention(id: "home"))
    #expect(try storage.store(memory: "one", events: [event]).map(\.number) == [1])
    try storage.fill(leaving: 0)
    let many = (0..<500).map { RegionEvent(time: start, kind: .exited, region: RegionMention(id: "\($0)")) }
    #expect(throws: SQLiteError.self) { try storage.store(memory: "two", events: many) }
    #expect(try storage.memory() == "one" && storage.events(after: 0).map(\.event) == [event])
    try storage.makeRoom()
    try storage.discardEvents(through: 1)
    #expect(try storage.events(after: 0).isEmpty)
    let again = try RegionStorage(path: folder.journal, newID: 2)
    #expect(try again.store(memory: "three", events: [event]).map(\.number) == [2])
    #expect(again.id == storage.id)
  }

  @Test("a damaged file is moved aside, and a new one replaces it under another name")
  func damaged() throws {
    let folder = try TemporaryFolder()
    try Data("this is no database, whatever its name says".utf8).write(to: URL(fileURLWithPath: folder.journal))
    let (storage, catalogue) = try RegionStorage.open(path: folder.journal, newID: 9)
    #expect(catalogue.isEmpty && storage.id == "9")
    #expect(FileManager.default.fileExists(atPath: folder.journal + ".damaged"))
  }

  @Test("the digest does not depend on the order, and changes with any content")
  func digests() throws {
    #expect(digest(everyKind) == digest(everyKind.reversed()))
    #expect(RegionDigest(digest(everyKind).description) == digest(everyKind))
    #expect(RegionDigest(bytes: digest(everyKind).bytes) == digest(everyKind))
    var changed = everyKind
    changed[0].name = "Other"
    #expect(digest(changed) != digest(everyKind))
    #expect(RegionDigest("f") == nil && RegionDigest(String(repeating: "x", count: 32)) == nil)
  }
}

extension RegionStorage {
  /// Limits the growth of the file to this number of pages, as on a full disk.
  fileprivate func fill(leaving pages: Int) throws {
    try withDatabase { database in
      let present = try database.integer("PRAGMA page_count") ?? 0
      try database.execute("PRAGMA max_page_count = \(Int(present) + pages)")
    }
  }

  fileprivate func makeRoom() throws { try withDatabase { try $0.execute("PRAGMA max_page_count = 4294967294") } }

  /// Moves the contents of the log into the file.
  fileprivate func checkpoint() throws { try withDatabase { try $0.execute("PRAGMA wal_checkpoint(TRUNCATE)") } }
}
