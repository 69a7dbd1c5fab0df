// Open files belong to the whole process, so the first test runs in a separate process. Exit tests need Swift 6.2.
#if os(Linux) && compiler(>=6.2)
  import Foundation
  import Glibc
  import Testing

  @testable import GodwitJournal

  @Suite("The lock of a journal", .timeLimit(.minutes(20)))
  struct JournalLockTests {
    @Test("a failed lock closes its file once, and never a file that another thread opened meanwhile")
    func closesOnce() async {
      await #expect(processExitsWith: .success) {
        let folder = try TemporaryFolder()
        let held = try JournalLock(path: folder.journal)
        Thread.detachNewThread {
          while true {
            let file = open("/dev/null", O_RDONLY | O_CLOEXEC)
            sched_yield()
            if close(file) != 0 { exit(1) }
          }
        }
        for _ in 0..<20_000 { #expect(throws: JournalInUse.self) { try JournalLock(path: folder.journal) {} } }
        withExtendedLifetime(held) {}
      }
    }

    @Test("a query of the lock while a tracker starts does not fail the start")
    func query() throws {
      let folder = try TemporaryFolder()
      // The lock that a query of another program holds, and that it releases between two attempts.
      var query: JournalLock? = try JournalLock(path: folder.journal)
      let held = try JournalLock(path: folder.journal) { query = nil }
      #expect(query == nil && JournalLock.isHeld(path: folder.journal))
      withExtendedLifetime(held) {}
    }

    @Test("a journal that a tracker uses is also in use under the name of a symbolic link")
    func link() throws {
      let folder = try TemporaryFolder()
      try Data().write(to: URL(fileURLWithPath: folder.journal))
      let link = folder.journal + "-link"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.journal)
      let held = try JournalLock(path: folder.journal)
      #expect(throws: JournalInUse.self) { try JournalLock(path: link) }
      #expect(JournalLock.isHeld(path: link))
      withExtendedLifetime(held) {}
    }
  }
#endif
