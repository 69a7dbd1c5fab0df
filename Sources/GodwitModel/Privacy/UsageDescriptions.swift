/// The purpose strings that Apple's systems show when a program requests permission. Without them the request fails
/// silently, so they are checked at the start.
package enum UsageDescriptions {
  /// The error of a missing purpose string.
  package struct Missing: Error, Sendable, Hashable, CustomStringConvertible {
    /// The key of Info.plist.
    package var key: String
    /// The missing element of the key's list; `nil` if the key requires a text.
    package var element: String?
    package init(key: String, element: String? = nil) {
      self.key = key
      self.element = element
    }

    package var description: String {
      if let element { return "Info.plist does not have \(element) in \(key). Without it the system ends the app." }
      return switch key {
      case "NSMotionUsageDescription", "NSUserTrackingUsageDescription":
        "Info.plist has no text for \(key). Without it the system ends the app when it requests that permission."
      default: "Info.plist has no text for \(key). Without it the system never asks for permission and reports no location."
      }
    }
  }

  /// Checks the keys that the permission and the motion chip need.
  /// - Parameters:
  ///   - info: Content of Info.plist.
  ///   - wanted: Permission that will be requested.
  ///   - usesMotion: Whether activities or steps are read.
  ///   - usesAdvertising: Whether the advertising identifier is collected.
  /// - Throws: ``Missing`` for the first key that has no text.
  package static func check(
    _ info: [String: Any], wanted: WantedAuthorization, usesMotion: Bool = false, usesAdvertising: Bool = false
  ) throws(Missing) {
    var keys = ["NSLocationWhenInUseUsageDescription"]
    if wanted == .always { keys.append("NSLocationAlwaysAndWhenInUseUsageDescription") }
    if usesMotion { keys.append("NSMotionUsageDescription") }
    if usesAdvertising { keys.append("NSUserTrackingUsageDescription") }
    for key in keys where (info[key] as? String)?.isEmpty ?? true { throw Missing(key: key) }
  }

  /// Checks the background mode that updates in the background need on a phone.
  /// - Parameter info: Content of Info.plist.
  /// - Throws: ``Missing`` if it is absent: enabling such updates would end the app.
  package static func checkBackgroundLocation(_ info: [String: Any]) throws(Missing) {
    try check("location", in: "UIBackgroundModes", of: info)
  }

  /// Checks the keys that a background task needs.
  /// - Parameters:
  ///   - identifier: Identifier of the task.
  ///   - info: Content of Info.plist.
  /// - Throws: ``Missing`` for the first list that lacks its element: registering the task would end the app.
  package static func checkTask(_ identifier: String, in info: [String: Any]) throws(Missing) {
    try check("fetch", in: "UIBackgroundModes", of: info)
    try check(identifier, in: "BGTaskSchedulerPermittedIdentifiers", of: info)
  }

  private static func check(_ element: String, in key: String, of info: [String: Any]) throws(Missing) {
    guard (info[key] as? [String])?.contains(element) == true else { throw Missing(key: key, element: element) }
  }
}
