internal import Foundation

/// A source of map tiles.
public struct MapTiles: Sendable, Hashable {
  /// URL template with `{z}`, `{x}` and `{y}`.
  public var url: String
  /// Attribution that must be shown on the map.
  public var attribution: String

  public init(url: String, attribution: String) {
    self.url = url
    self.attribution = attribution
  }

  /// Scheme and host, for the page's content security policy.
  package var origin: String? {
    guard let parts = URLComponents(string: url.replacing("{s}", with: "a").filter { !"{}".contains($0) }),
      let scheme = parts.scheme, let host = parts.host
    else { return nil }
    let starred = url.contains("{s}.") ? "*." + host.drop { $0 != "." }.dropFirst() : host
    return "\(scheme)://\(starred)" + (parts.port.map { ":\($0)" } ?? "")
  }
}
