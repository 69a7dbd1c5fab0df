package import Foundation
package import GodwitStore
internal import GodwitWire

/// An import of a file by a command: a new one, or one that continues an interrupted import.
package struct ImportStart {
  package let job: ImportJob
  package let file: any RecordSource
  /// Whether it continues an interrupted import.
  package let isResumed: Bool

  /// Opens a file for a command, and records the import in the store.
  /// - Parameters:
  ///   - source: the file.
  ///   - options: the devices of the records.
  ///   - store: the store in which the records are stored.
  ///   - now: the time.
  /// - Throws: `TrackFileError` if the file cannot be read; the store's error.
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

  /// Records the end of the import.
  /// - Parameters:
  ///   - progress: the final progress.
  ///   - problem: the fault of the file; `nil`: none.
  ///   - store: the store of the import.
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
