/// The version of this build.
package enum Version {
  /// The version in CHANGELOG.md.
  package static let current = "0.1.0"
}
