/// A place of an app's source that Linux treats differently, or not at all.
package struct PortingDifference: Sendable, Equatable, Codable {
  package enum Kind: String, Sendable, Codable, CaseIterable {
    /// Code for iOS that a build on Linux leaves out without a word.
    case condition
    /// `import CoreLocation.CLLocationManagerDelegate`
    case submodule
    /// `@objc`, `@objcMembers`, `dynamic`
    case attribute
    /// `#selector`, `#keyPath`, `@objc optional`, `@IBOutlet`: what the runtime of Objective-C does.
    case objectiveC = "objective_c"
    /// A framework that Linux does not have.
    case module
    /// What Foundation has in another module on Linux, or constants of Darwin.
    case foundation
    /// A default argument of XCTest on Apple's systems.
    case xctest
  }

  package var kind: Kind
  /// Relative to the folder that was read.
  package var file: String
  /// From 1.
  package var line: Int
  package var column: Int
  /// The line of the source, without the space around it.
  package var source: String
  /// What happens, and what to do.
  package var message: String
  /// Whether `--fix` makes the change.
  package var isRepairable: Bool
}

/// A difference and the changes that repair it: ranges of bytes and what replaces them.
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
