/// What keeps regions from working as they should.
struct RegionProblems: Sendable, Hashable {
  /// Why something could not be kept on disk.
  var disk: String?
  /// The new name of a copy that could not be read; `nil`: there was none, or the regions are there again.
  var damaged: String?
  /// The system lets nobody monitor, and somebody wants to.
  var isForbidden = false
  /// Why the last sync failed.
  var sync: String?

  /// All of it as sentences, the gravest first; `nil`: nothing is wrong.
  /// - Parameter count: regions of the copy; asked for only where it is told.
  func text(copied count: @autoclosure () -> Int) -> String? {
    var sentences: [String] = []
    if let disk { sentences.append(disk) }
    if isForbidden {
      sentences.append("No region is watched over: the system has not given permission for the location, or monitors no regions.")
    }
    if let damaged {
      sentences.append("The copy of the regions was damaged and is now \(damaged); they are copied from the server again.")
    }
    if let sync {
      let count = count()
      let rest =
        count == 0 ? "There is no copy of them yet; nothing is watched over." : "The copy of the last time is used: \(count)."
      sentences.append("The regions could not be copied: \(sync) \(rest)")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}
