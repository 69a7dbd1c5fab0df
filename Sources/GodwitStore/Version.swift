/// The version of this build.
public enum Version {
  /// As in CHANGELOG.md.
  public static let current = "0.1.0"
}
