internal import Foundation
package import GodwitHTTP
internal import GodwitHistory
internal import GodwitWire

/// Receives uploads at the URLs of Nextcloud's PhoneTrack: `/log/PROTOCOL/TOKEN/DEVICE`, and `logGet`, `logPost` and
/// `logPostMultiple` with the same ends. Each URL also exists below `/apps/phonetrack` and `/index.php/apps/phonetrack`. An app
/// that was configured for PhoneTrack needs only another host and token.
///
/// The token identifies the device. DEVICE is only a name that is stored with the points.
package struct PhoneTrackReceiver {
  package let places: OsmAndReceiver
  package let ownTracks: OwnTracksReceiver
  package let overland: OverlandReceiver

  package init(places: OsmAndReceiver, ownTracks: OwnTracksReceiver, overland: OverlandReceiver) {
    self.places = places
    self.ownTracks = ownTracks
    self.overland = overland
  }

  /// The parts of a PhoneTrack URL.
  package struct Address: Hashable {
    package var format: String
    package var token: String
    package var device: String?

    private static let methods = ["logGet": "get", "logPost": "post", "logPostMultiple": "post"]

    /// - Parameter path: the part of the URL after `/log/` or `/apps/phonetrack/`.
    package init?(_ path: String) {
      var parts = path.split(separator: "/").map(String.init)
      if parts.first == "log" { parts.removeFirst() }
      guard parts.count >= 2 else { return nil }
      (format, token) = (Self.methods[parts[0]] ?? parts[0].lowercased(), parts[1])
      // µlogger appends its own path.
      let rest = parts.count >= 4 && parts.suffix(2) == ["client", "index.php"] ? parts[2..<(parts.count - 2)] : parts[2...]
      device = rest.isEmpty ? nil : rest.joined(separator: "/")
    }
  }

  package func respond(_ request: HTTPRequest) throws(Problem) -> HTTPReply {
    guard let address = Address(request.parameter) else { throw Self.unknown(request.parameter) }
    var places = places
    places.speed = address.format == "traccar" ? .knots : .metersPerSecond
    places.label = address.device
    switch address.format {
    case "gpslogger", "osmand", "traccar", "locusmap": break
    case "get", "post": places.success = .json(Array(#"{"done":1,"friends":[]}"#.utf8))
    case "ulogger": places.success = .json(Array(#"{"error":false,"trackid":1}"#.utf8))
    case "owntracks":
      var receiver = ownTracks
      receiver.label = address.device
      return try receiver.respond(request)
    case "overland":
      var receiver = overland
      receiver.label = address.device
      return try receiver.respond(request)
    default: throw Self.unknown(request.parameter)
    }
    return try places.respond(request)
  }

  private static func unknown(_ path: String) -> Problem {
    Problem(
      404, "Not found",
      "Expected /log/PROTOCOL/TOKEN/DEVICE (or PhoneTrack's /apps/phonetrack/log/…, logGet, logPost, logPostMultiple), with one of these protocols: get, gpslogger, locusmap, osmand, overland, owntracks, "
        + "post, traccar, ulogger.")
  }
}
