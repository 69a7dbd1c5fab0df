internal import Foundation
internal import GodwitDelivery
public import GodwitEngine
public import GodwitModel
internal import GodwitText
internal import GodwitWire

/// A link that configures a tracker when it is opened on the device:
/// `overland://setup?url=…&token=…&device_id=…&unique_id=yes`, or `godwit://setup` with the same parameters.
///
///     let link = try SetupLink(link: url.absoluteString)
///     if await confirm(link.address, try link.changes(of: tracker.settings)) { tracker.change(try link.changed(tracker.settings)) }
///
/// A link is untrusted input: show the user the changes that it would make (``changes(of:)`` and ``address``), and ask for
/// confirmation first. Besides Overland's four parameters it may contain `format`, a name of `EndpointFormats`, and any
/// setting by its name, for example `main.min_distance=10m`. The items of a list are separated by semicolons.
public struct SetupLink: Sendable, Hashable {
  /// The new endpoint of records; `nil`: unchanged.
  public var address: String?
  /// The endpoint's format, by its name in `EndpointFormats`; `nil`: Overland.
  public var format: String?
  /// The token of the endpoint.
  public var token: String?
  /// The reason why the token can be intercepted if the link is applied, as a sentence for the request for confirmation; `nil`:
  /// no problem.
  public var exposureProblem: String? {
    guard token != nil, let address, let template = try? URLTemplate(address) else { return nil }
    return TokenExposure.problem(of: template.filled(with: nil), name: "The link's address")
  }
  /// The settings of the link, in its order.
  public var settings: [DesiredSetting]

  /// The supported schemes.
  public static let schemes = ["godwit", "overland"]

  public init(address: String? = nil, format: String? = nil, token: String? = nil, settings: [DesiredSetting] = []) {
    self.address = address
    self.format = format
    self.token = token
    self.settings = settings
  }

  /// Reads a link.
  /// - Throws: ``GodwitError/Code/invalidLink``; the message names the invalid part. A link with one invalid part is rejected as a whole.
  public init(link text: String) throws(GodwitError) {
    do { try self.init(reading: text) } catch { throw GodwitError(.invalidLink, "\(error)", underlyingError: error) }
  }

  private init(reading text: String) throws(SettingError) {
    guard let parts = URLComponents(string: text), let scheme = parts.scheme?.lowercased(), Self.schemes.contains(scheme),
      parts.host == "setup" || parts.path == "setup"
    else {
      throw SettingError("This is not a set-up link; expected godwit://setup?url=…&token=… or overland://setup?url=….")
    }
    self.init()
    var seen: Set<String> = []
    for item in parts.queryItems ?? [] {
      guard seen.insert(item.name).inserted else { throw SettingError("The set-up link contains \(item.name) twice.") }
      try set(item.name, item.value ?? "")
    }
    if token != nil || format != nil, address == nil {
      throw SettingError("The set-up link has a \(token == nil ? "format" : "token") but no url for it.")
    }
    if address == nil, settings.isEmpty { throw SettingError("The set-up link contains no settings.") }
    // The values are validated before the user is asked.
    _ = try applied(to: Settings())
  }

  private mutating func set(_ name: String, _ value: String) throws(SettingError) {
    switch name {
    case "url":
      do throws(FormatError) { _ = try URLTemplate(value) } catch {
        throw SettingError("The set-up link's url: \(error.reason)")
      }
      address = value
    case "token":
      guard value.utf8.allSatisfy({ $0 > 0x20 && $0 < 0x7F }) else {
        throw SettingError("The set-up link's token contains blanks or other characters that a token cannot have.")
      }
      token = value.isEmpty ? nil : value
    case "format":
      do throws(UnknownEndpointFormat) { _ = try EndpointFormats.format(named: value) } catch {
        throw SettingError("The set-up link's format: \(error)")
      }
      format = value
    default:
      guard let entry = Settings.entry(name) else {
        throw SettingError("The set-up link sets \"\(name)\", which is not a setting.")
      }
      settings.append(DesiredSetting(name: name, value: entry.value(word: value)))
    }
  }

  /// Returns the settings with the link's values.
  /// - Throws: ``GodwitError/Code/invalidSetting`` for the first invalid value.
  public func changed(_ settings: Settings) throws(GodwitError) -> Settings {
    do { return try applied(to: settings) } catch { throw GodwitError(error) }
  }

  private func applied(to settings: Settings) throws(SettingError) -> Settings {
    var settings = settings
    for setting in self.settings { try settings.set(setting.name, to: setting.value) }
    return settings
  }

  /// Returns the changes that the link would make.
  /// - Throws: as ``changed(_:)``.
  public func changes(of settings: Settings) throws(GodwitError) -> [SettingChange] {
    settings.difference(to: try changed(settings))
  }

  /// Returns the text of the link.
  /// - Parameter scheme: one of ``schemes``. Overland's app opens only `overland` links, and uses only `url`, `token`,
  ///   `device_id` and `unique_id`.
  public func text(scheme: String = "godwit") -> String {
    var words: [(name: String, value: String)] = []
    if let address { words.append(("url", address)) }
    if let format { words.append(("format", format)) }
    if let token { words.append(("token", token)) }
    words += settings.map { ($0.name, $0.value.text) }
    return "\(scheme)://setup?" + QueryString.encoded(words)
  }
}

extension SettingEntry {
  /// Parses a value from unquoted text, as in a link or on a command line. A text that is not a value of the setting's kind is
  /// returned as text, which the setting then rejects.
  public func value(word: String) -> SettingValue {
    switch kind {
    case .flag:
      switch word.lowercased() {
      case "true", "yes", "on", "1": .flag(true)
      case "false", "no", "off", "0", "": .flag(false)
      default: .text(word)
      }
    case .number: Double(word).map { .number($0) } ?? .text(word)
    case .list: .list(word.isEmpty ? [] : word.split(separator: ";").map { $0.trimmingCharacters(in: .whitespaces) })
    case .choice, .text: .text(word)
    }
  }
}

extension SettingValue {
  /// The text of the value in a link.
  fileprivate var text: String {
    switch self {
    case .text(let text): text
    case .flag(let flag): flag ? "yes" : "no"
    case .list(let items): items.joined(separator: ";")
    case .number, .other: description
    }
  }
}
