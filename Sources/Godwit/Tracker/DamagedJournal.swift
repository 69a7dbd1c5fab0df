/// A journal that was found damaged at the start, renamed, and replaced by a new one.
public struct DamagedJournal: Sendable, Hashable {
  /// The new name of the damaged file.
  public let path: String
  /// Unsent records that could be read in it; they are in the new journal.
  public let recoveredRecords: Int
}
