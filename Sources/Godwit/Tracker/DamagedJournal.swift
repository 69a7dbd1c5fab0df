/// A journal that was damaged when the tracker opened it. The file was renamed and replaced by a new journal.
public struct DamagedJournal: Sendable, Hashable {
  /// The new path of the damaged file.
  public let path: String
  /// The number of unsent records that could be read from the damaged file. They are in the new journal.
  public let recoveredRecords: Int
}
