/// The version of this build.
public enum Version {
  /// The version as in CHANGELOG.md.
  public static let current = "0.1.0"
}
