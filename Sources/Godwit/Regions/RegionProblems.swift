/// The problems of regions.
struct RegionProblems: Sendable, Hashable {
  /// The reason why the last write failed; `nil`: it succeeded.
  var disk: String?
  /// The new name of a damaged copy; `nil`: no copy was damaged, or the regions were synced again.
  var damaged: String?
  /// Whether the system forbids monitoring although the regions are not paused.
  var isForbidden = false
  /// The reason why the last sync failed; `nil`: it succeeded.
  var sync: String?

  /// Returns the problems as sentences, the most severe first; `nil`: none.
  /// - Parameter count: the number of regions of the copy; evaluated only if it is part of the text.
  func text(copied count: @autoclosure () -> Int) -> String? {
    var sentences: [String] = []
    if let disk { sentences.append(disk) }
    if isForbidden {
      sentences.append("No region is monitored: the app has no permission for the location, or the system monitors no regions.")
    }
    if let damaged {
      sentences.append("The copy of the regions was damaged and is now \(damaged); they are copied from the server again.")
    }
    if let sync {
      let count = count()
      let rest =
        count == 0 ? "No copy of them exists yet; no region is monitored." : "The previous copy is used: \(count)."
      sentences.append("The regions could not be copied: \(sync) \(rest)")
    }
    return sentences.isEmpty ? nil : sentences.joined(separator: " ")
  }
}
