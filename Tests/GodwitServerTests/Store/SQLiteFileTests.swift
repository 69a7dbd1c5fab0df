import Foundation
import GodwitModel
import Testing

@testable import GodwitServer
@testable import GodwitStore

@Suite("Files of the embedded database")
struct SQLiteFileTests {
  @Test("after closing, the file contains all data, even if connections have read it")
  func closed() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-file-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteTrackStore(folder: folder.path)
    let device = try store.makeDevice()
    _ = try await store.store([try step(1), try step(2)], of: device)
    #expect(try store.allPoints(PointQuery(device: device.id, limit: 10)).count == 2)
    let open = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(open.contains("godwit.sqlite-wal"))
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["godwit.sqlite"])
    await #expect(throws: StoreError.self) { try await store.store([try step(3)], of: device) }

    let again = try SQLiteTrackStore(folder: folder.path)
    defer { again.close() }
    #expect(try again.allPoints(PointQuery(device: device.id, limit: 10)).count == 2)
  }

  @Test("a close waits for running reads")
  func closedWhileRead() async throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("godwit-file-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    let store = try SQLiteTrackStore(folder: folder.path)
    _ = try await store.store([try step(1)], of: try store.makeDevice())
    let (counts, count) = AsyncStream<Int64>.makeStream()
    let isClosing = DispatchSemaphore(value: 0)
    Thread {
      let points = try? store.read { db in
        count.yield(-1)
        isClosing.wait()
        // sleeps: the thread that closes the store cannot signal that it waits.
        Thread.sleep(forTimeInterval: 0.2)
        return try db.first("SELECT count(*) FROM points") { $0.integer(0) }
      }
      count.yield(points ?? -2)
    }.start()
    var reported = counts.makeAsyncIterator()
    #expect(await reported.next() == -1)
    isClosing.signal()
    store.close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["godwit.sqlite"])
    #expect(await reported.next() == 1)
  }
}
