internal import CSodium
package import Foundation
internal import GodwitModel
internal import GodwitSecrets
package import GodwitStore
internal import GodwitText

/// A URL of a user that receives events.
package struct Webhook: Sendable, Hashable {
  /// The number in the store.
  package var id: Int64
  package var options: WebhookOptions
  /// The signing secret; shown once, at creation.
  package var secret: String
  /// While the webhook is disabled, no delivery is sent and no new delivery is written.
  package var isEnabled: Bool
  /// The reason why the server disabled the webhook.
  package var note: String?
  package var created: Date

  /// The name in the API.
  package var name: String { "whk_\(id)" }

  /// Returns the number in a name, or `nil` if the name is invalid.
  package static func number(of name: String) -> Int64? {
    guard let id = RowNumber(name, after: "whk_")?.value else { return nil }
    return id
  }

  /// A random secret: "whsec_" and 192 bits in URL-safe Base64.
  package static func newSecret() -> String { "whsec_" + AccessToken().secret.dropFirst(3) }

  /// Whether the webhook receives an event.
  package func wants(_ event: ServerEvent) -> Bool { isEnabled && options.wants(event) }
}

/// The configuration of a webhook.
package struct WebhookOptions: Sendable, Hashable, Codable {
  /// An `http` or `https` URL.
  package var url: String
  /// Types of events, such as `geofence.entered`; empty: all except those of accounts.
  package var types: [String] = []
  /// Only events of regions with one of these tags; empty: all.
  package var tags: [String] = []
  /// Only events of these regions; empty: all.
  package var regions: [String] = []
  /// Only events of devices with these names; empty: all.
  package var devices: [String] = []
  /// The format; `nil`: Godwit's.
  package var format: WebhookFormat?
  /// Seconds between two positions of a device; `nil`: only events are sent.
  package var positions: Double?
  /// Maximum events of a request. If it is greater than 1, the body is an array; `nil`: 1, and the body is the event.
  package var batch: Int?

  package init(
    url: String, types: [String] = [], tags: [String] = [], regions: [String] = [], devices: [String] = [],
    format: WebhookFormat? = nil, positions: Double? = nil, batch: Int? = nil
  ) {
    self.url = url
    self.types = types
    self.tags = tags
    self.regions = regions
    self.devices = devices
    self.format = format
    self.positions = positions
    self.batch = batch
  }

  /// Maximum events of a request, ≥ 1.
  package var batchSize: Int { max(1, batch ?? 1) }

  /// All types of events.
  static let knownTypes =
    ["geofence", "beacon"].flatMap { shape in ["entered", "exited", "dwelled"].map { "\(shape).\($0)" } }
    + ["geofence.crossed", "device.silent", "device.heard"] + AccountEvent.allCases.map(\.rawValue)
  /// Maximum bytes of a URL.
  static let maximumURL = 2048
  /// Maximum entries of a list.
  static let maximumEntries = 1000
  /// The permitted seconds between two positions.
  package static let intervals = 1.0...86400.0
  /// The permitted maximum events of a request.
  package static let batches = 1...1000

  package func wants(_ event: ServerEvent) -> Bool {
    // Account events go only to webhooks that name their type.
    if event.type.hasPrefix("account.") { return (format ?? .godwit) == .godwit && types.contains(event.type) }
    return (format ?? .godwit).knows(type: event.type) && (types.isEmpty || types.contains(event.type))
      && (tags.isEmpty || event.tags.contains(where: tags.contains))
      && (regions.isEmpty || regions.contains(event.region)) && (devices.isEmpty || devices.contains(event.device.name))
  }

  /// - Throws: the first fault, with its member.
  package func check() throws(WebhookFault) {
    func refuse(_ place: String, _ why: String) -> WebhookFault { WebhookFault(place: place, reason: why) }
    guard url.utf8.count <= Self.maximumURL else {
      throw refuse("url", "expected at most \(Self.maximumURL) bytes, found \(url.utf8.count).")
    }
    if let wrong = url.unicodeScalars.first(where: { $0.value <= 0x20 || $0.value == 0x7F }) {
      throw refuse("url", "remove the blank or control character U+\(String(wrong.value, radix: 16, uppercase: true)).")
    }
    guard let parts = URLComponents(string: url), let scheme = parts.scheme?.lowercased(), let host = parts.host, !host.isEmpty
    else { throw refuse("url", "expected an address such as https://example.org/hook, found \(url.jsonQuoted).") }
    guard scheme == "https" || scheme == "http" else {
      throw refuse("url", "expected https:// or http://, found \(scheme):.")
    }
    guard parts.port.map({ (1...65_535).contains($0) }) ?? true else {
      throw refuse("url", "expected a port from 1 to 65535.")
    }
    guard parts.user == nil, parts.password == nil else {
      throw refuse("url", "remove the user name and the password, which logs show; check the signature instead.")
    }
    if let positions {
      guard format == .homeAssistant else {
        throw refuse("positions", "only a webhook with the format \"home-assistant\" receives positions.")
      }
      guard Self.intervals.contains(positions) else {
        throw refuse("positions", "expected seconds between two positions, 1 to 86400, found \(positions).")
      }
    }
    if let batch {
      guard Self.batches.contains(batch) else {
        throw refuse("batch", "expected 1 to 1000 events in a request, found \(batch).")
      }
      guard batch == 1 || format != .homeAssistant else {
        throw refuse("batch", "a webhook with the format \"home-assistant\" receives one event in a request.")
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

/// A fault in the configuration of a webhook.
package struct WebhookFault: Error, CustomStringConvertible {
  /// The member with the fault.
  package let place: String
  package let reason: String
  package var description: String { "\(place): \(reason)" }
}

/// Signs a request. The signature proves that the sender has the secret, and covers the time of sending.
enum WebhookSignature {
  package static let header = "Godwit-Signature"

  /// The header's value: `t=UNIX,v1=HEX`.
  /// - Parameters:
  ///   - body: the exact bytes that are sent.
  ///   - secret: the key, in UTF-8.
  ///   - time: the time of sending, in whole seconds.
  package static func value(of body: [UInt8], secret: String, at time: Date) -> String {
    let seconds = Int64(time.timeIntervalSince1970.rounded(.down))
    let digest = authenticate(Array("\(seconds).".utf8) + body, secret: secret)
    return "t=\(seconds),v1=\(Hexadecimal.text(digest))"
  }

  /// HMAC-SHA-256 (RFC 2104), 32 bytes.
  static func authenticate(_ message: [UInt8], secret: String) -> [UInt8] {
    var state = crypto_auth_hmacsha256_state()
    let key = Array(secret.utf8)
    // These three functions always return 0.
    crypto_auth_hmacsha256_init(&state, key, key.count)
    crypto_auth_hmacsha256_update(&state, message, UInt64(message.count))
    var digest = [UInt8](repeating: 0, count: Int(crypto_auth_hmacsha256_BYTES))
    crypto_auth_hmacsha256_final(&state, &digest)
    return digest
  }
}
