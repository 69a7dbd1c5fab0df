internal import CSodium
package import Foundation
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitStore
internal import GodwitText

/// An address of the owner's that is told of region events.
package struct Webhook: Sendable, Hashable {
  /// The store's own number.
  package var id: Int64
  package var terms: WebhookTerms
  /// What letters are signed with; shown once, when it is made.
  package var secret: String
  /// Nothing is sent while it is off, and no new letters are written.
  package var isEnabled: Bool
  /// Why the server itself turned it off.
  package var note: String?
  package var created: Date

  /// How the API names it.
  package var name: String { "whk_\(id)" }

  /// The number in a name.
  package static func number(of name: String) -> Int64? {
    guard let id = RowNumber(name, after: "whk_")?.value else { return nil }
    return id
  }

  /// A secret by chance: "whsec_" and 192 bits in URL-safe Base64.
  package static func newSecret() -> String { "whsec_" + AccessToken().secret.dropFirst(3) }

  /// Whether an event goes to it.
  package func wants(_ event: GeofenceEvent) -> Bool { isEnabled && terms.wants(event) }
}

/// Where a webhook sends, and what.
package struct WebhookTerms: Sendable, Hashable, Codable {
  /// `http` or `https`.
  package var url: String
  /// Types of events, such as `geofence.entered`; none: all but those of accounts.
  package var types: [String] = []
  /// Events of regions with one of them; none: all.
  package var tags: [String] = []
  /// Events of these regions; none: all.
  package var regions: [String] = []
  /// Events of the devices of these names; none: all.
  package var devices: [String] = []
  /// The language; `nil`: our own.
  package var format: WebhookFormat?
  /// Seconds between two positions of a device; `nil`: it is told of events only.
  package var positions: Double?

  package init(
    url: String, types: [String] = [], tags: [String] = [], regions: [String] = [], devices: [String] = [],
    format: WebhookFormat? = nil, positions: Double? = nil
  ) {
    self.url = url
    self.types = types
    self.tags = tags
    self.regions = regions
    self.devices = devices
    self.format = format
    self.positions = positions
  }

  /// Every type of event that there is.
  static let knownTypes =
    ["geofence", "beacon"].flatMap { shape in ["entered", "exited", "dwelled"].map { "\(shape).\($0)" } }
    + ["device.silent", "device.heard"] + AccountEvent.allCases.map(\.rawValue)
  /// Bytes of an address.
  static let maximumURL = 2048
  /// Entries of one list.
  static let maximumEntries = 1000
  /// Seconds between two positions.
  package static let intervals = 1.0...86400.0

  package func wants(_ event: GeofenceEvent) -> Bool {
    // Who signs in is for those alone that ask for it by name.
    if event.type.hasPrefix("account.") { return (format ?? .godwit) == .godwit && types.contains(event.type) }
    return (format ?? .godwit).knows(type: event.type) && (types.isEmpty || types.contains(event.type))
      && (tags.isEmpty || event.tags.contains(where: tags.contains))
      && (regions.isEmpty || regions.contains(event.region)) && (devices.isEmpty || devices.contains(event.device.name))
  }

  /// - Throws: what is wrong with them, and where.
  package func check() throws(WebhookFault) {
    func refuse(_ place: String, _ why: String) -> WebhookFault { WebhookFault(place: place, reason: why) }
    guard url.utf8.count <= Self.maximumURL else {
      throw refuse("url", "expected at most \(Self.maximumURL) bytes, found \(url.utf8.count).")
    }
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty
    else { throw refuse("url", "expected an address such as https://example.org/hook, found \(url.jsonQuoted).") }
    guard scheme == "https" || scheme == "http" else {
      throw refuse("url", "expected https:// or http://, found \(scheme):.")
    }
    guard parts.user == nil, parts.password == nil else {
      throw refuse("url", "a user name and a password in an address are visible in logs; check the signature instead.")
    }
    if let positions {
      guard format == .homeAssistant else {
        throw refuse("positions", "only a webhook with the format \"home-assistant\" is told of positions.")
      }
      guard Self.intervals.contains(positions) else {
        throw refuse("positions", "expected seconds between two of them, 1 to 86400, found \(positions).")
      }
    }
    for (place, list) in [("types", types), ("tags", tags), ("regions", regions), ("devices", devices)] {
      guard list.count <= Self.maximumEntries else {
        throw refuse(place, "expected at most \(Self.maximumEntries) entries, found \(list.count).")
      }
    }
    for (index, type) in types.enumerated() where !Self.knownTypes.contains(type) {
      throw refuse("types[\(index)]", "expected one of \(Self.knownTypes.joined(separator: ", ")), found \(type.jsonQuoted).")
    }
  }
}

/// Why the terms of a webhook are refused.
package struct WebhookFault: Error, CustomStringConvertible {
  /// The member.
  package let place: String
  package let reason: String
  package var description: String { "\(place): \(reason)" }
}

/// Proves to who receives a letter that it comes from who knows the secret, and when it was sent.
enum WebhookSignature {
  package static let header = "Godwit-Signature"

  /// The header's value: `t=UNIX,v1=HEX`.
  /// - Parameters:
  ///   - body: as it is sent, to the byte.
  ///   - secret: its UTF-8 is the key.
  ///   - time: of sending; whole seconds count.
  package static func value(of body: [UInt8], secret: String, at time: Date) -> String {
    let seconds = Int64(time.timeIntervalSince1970.rounded(.down))
    let digest = authenticate(Array("\(seconds).".utf8) + body, secret: secret)
    return "t=\(seconds),v1=\(Hexadecimal.text(digest))"
  }

  /// HMAC-SHA-256 (RFC 2104), 32 bytes.
  static func authenticate(_ message: [UInt8], secret: String) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    let key = Array(secret.utf8)
    // These three return 0, always.
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    var digest = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256_final(&state, &digest)
    return digest
  }
}
