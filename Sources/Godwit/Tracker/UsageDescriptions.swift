public import GodwitModel

/// The sentences that Apple's systems show when a program asks for permission. Without them the question never
/// appears and nothing ever comes, silently: so they are asked for at the start.
public enum UsageDescriptions {
  /// A sentence is missing.
  public struct Missing: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of Info.plist.
    public var key: String
    public var description: String {
      "Info.plist has no text for \(key). Without it the system never asks for permission and no location comes."
    }
  }

  /// Looks for what the permission and the motion chip need.
  /// - Parameters:
  ///   - info: what Info.plist says.
  ///   - wanted: the permission that will be asked for.
  ///   - usesMotion: whether activities or steps are read.
  /// - Throws: ``Missing`` for the first key that has no text.
  public static func check(
    _ info: [String: Any], wanted: WantedAuthorization, usesMotion: Bool = false
  ) throws(Missing) {
    var keys = ["NSLocationWhenInUseUsageDescription"]
    if wanted == .always { keys.append("NSLocationAlwaysAndWhenInUseUsageDescription") }
    if usesMotion { keys.append("NSMotionUsageDescription") }
    for key in keys where (info[key] as? String)?.isEmpty ?? true { throw Missing(key: key) }
  }
}
