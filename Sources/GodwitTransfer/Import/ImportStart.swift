package import Foundation
package import GodwitStore
internal import GodwitWire

/// An import of a file that is about to run: from its beginning, or from where an earlier one stopped.
package struct ImportStart {
  package let job: ImportJob
  package let file: any RecordSource
  /// It goes on where it stopped.
  package let isResumed: Bool

  /// Opens a file of a command, and notes in the store that it is imported.
  /// - Parameters:
  ///   - source: the file.
  ///   - terms: which devices.
  ///   - store: where the records go.
  ///   - now: the time.
  /// - Throws: `TrackFileError` where the file cannot be read; the store's error.
  package init(_ source: ImportSource, terms: ImportTerms, into store: any StoreDatabase, at now: Date) throws {
    if let job = try store.read({ try ImportTables.interrupted(source, terms, $0) }),
      let file = try? RecordSources.open(source.path, from: job.checkpoint, options: terms.options)
    {
      (self.job, self.file, isResumed) = (job, file, job.checkpoint != nil)
      return
    }
    file = try RecordSources.open(source.path, options: terms.options)
    job = try store.writeAndWait {
      try ImportTables.add(source, place: "", account: nil, terms: terms, state: .running, at: now, $0)
    }
    isResumed = false
  }

  /// Notes how it ended.
  /// - Parameters:
  ///   - progress: what became of the records.
  ///   - problem: what is wrong with the file; `nil`: nothing.
  ///   - store: where it runs.
  ///   - now: the time.
  package func end(_ progress: ImportProgress, problem: String?, in store: any StoreDatabase, at now: Date) throws {
    let id = job.id
    try store.writeAndWait {
      try ImportTables.set(
        id, progress.tally.endState(problem: problem), problem: problem, tally: progress.tally, position: progress.position,
        at: now, $0)
    }
  }
}
