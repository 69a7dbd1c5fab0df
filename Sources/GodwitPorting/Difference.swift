/// A place in an app's source that is compiled differently on Linux, or not at all.
package struct PortingDifference: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// Code for iOS that a build on Linux silently excludes.
    case condition
    /// `import CoreLocation.CLLocationManagerDelegate`
    case submodule
    /// `@objc`, `@objcMembers`, `dynamic`
    case attribute
    /// `#selector`, `#keyPath`, `@objc optional`, `@IBOutlet`: features of the Objective-C runtime.
    case objectiveC = "objective_c"
    /// A framework that Linux does not have.
    case module
    /// A type of Foundation that is in another module on Linux, or a constant of Darwin.
    case foundation
    /// A default argument of XCTest on Apple's systems.
    case xctest
  }

  package var kind: Kind
  /// The path, relative to the read folder.
  package var file: String
  /// The line, from 1.
  package var line: Int
  package var column: Int
  /// The line of the source, without surrounding white space.
  package var source: String
  /// The effect on Linux, and the remedy.
  package var message: String
  /// Whether `--fix` applies the change.
  package var isRepairable: Bool
}

/// A difference and the edits that repair it: byte ranges and their replacements.
struct Diagnosis {
  var kind: PortingDifference.Kind
  var offset: Int
  var message: String
  var edits: [Edit] = []
  var isRepairable: Bool { !edits.isEmpty }

  struct Edit: Equatable {
    var range: Range<Int>
    var replacement: String
  }
}
