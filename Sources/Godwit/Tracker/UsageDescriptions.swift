public import GodwitModel

/// The sentences that Apple's systems show when a program asks for permission. Without them the question never
/// appears and nothing ever comes, silently: so they are asked for at the start.
public enum UsageDescriptions {
  /// A sentence is missing.
  public struct Missing: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of Info.plist.
    public var key: String
    /// What must stand in its list; `nil`: it must be a text.
    public var element: String?
    public var description: String {
      if let element { return "Info.plist does not have \(element) in \(key). Without it the system ends the app." }
      return switch key {
      case "NSMotionUsageDescription", "NSUserTrackingUsageDescription":
        "Info.plist has no text for \(key). Without it the system ends the app when it asks for that."
      default: "Info.plist has no text for \(key). Without it the system never asks for permission and no location comes."
      }
    }
  }

  /// Looks for what the permission and the motion chip need.
  /// - Parameters:
  ///   - info: what Info.plist says.
  ///   - wanted: the permission that will be asked for.
  ///   - usesMotion: whether activities or steps are read.
  ///   - usesAdvertising: whether the advertising identifier is collected.
  /// - Throws: ``Missing`` for the first key that has no text.
  public static func check(
    _ info: [String: Any], wanted: WantedAuthorization, usesMotion: Bool = false, usesAdvertising: Bool = false
  ) throws(Missing) {
    var keys = ["NSLocationWhenInUseUsageDescription"]
    if wanted == .always { keys.append("NSLocationAlwaysAndWhenInUseUsageDescription") }
    if usesMotion { keys.append("NSMotionUsageDescription") }
    if usesAdvertising { keys.append("NSUserTrackingUsageDescription") }
    for key in keys where (info[key] as? String)?.isEmpty ?? true { throw Missing(key: key) }
  }

  /// Looks for the background mode that updates in the background need on a phone.
  /// - Parameter info: what Info.plist says.
  /// - Throws: ``Missing`` when it is not there: turning such updates on would end the app.
  public static func checkBackgroundLocation(_ info: [String: Any]) throws(Missing) {
    try check("location", in: "UIBackgroundModes", of: info)
  }

  /// Looks for what a background task needs.
  /// - Parameters:
  ///   - identifier: of the task.
  ///   - info: what Info.plist says.
  /// - Throws: ``Missing`` for the first list that lacks its element: registering the task would end the app.
  public static func checkTask(_ identifier: String, in info: [String: Any]) throws(Missing) {
    try check("fetch", in: "UIBackgroundModes", of: info)
    try check(identifier, in: "BGTaskSchedulerPermittedIdentifiers", of: info)
  }

  private static func check(_ element: String, in key: String, of info: [String: Any]) throws(Missing) {
    guard (info[key] as? [String])?.contains(element) == true else { throw Missing(key: key, element: element) }
  }
}
