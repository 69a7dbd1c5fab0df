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
  ///   - options: which devices.
  ///   - store: where the records go.
  ///   - now: the time.
  /// - Throws: `TrackFileError` where the file cannot be read; the store's error.
  package init(_ source: ImportSource, options: ImportOptions, into store: any StoreDatabase, at now: Date) throws {
    if let job = try store.read({ try ImportTables.interrupted(source, options, $0) }),
      let file = try? RecordSources.open(source.path, from: job.checkpoint, options: options.options)
    {
      (self.job, self.file, isResumed) = (job, file, job.checkpoint != nil)
      return
    }
    file = try RecordSources.open(source.path, options: options.options)
    job = try store.writeAndWait {
      try ImportTables.add(source, place: "", account: nil, options: options, state: .running, at: now, $0)
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
        id, progress.report.endState(problem: problem), problem: problem, report: progress.report, position: progress.position,
        at: now, $0)
    }
  }
}
