internal import Foundation
internal import Godwit
internal import GodwitDelivery
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// The form of a new or an existing server.
@MainActor @Observable
public final class ServerFormModel: Identifiable {
  /// The identifier of the server; `nil`: a new server.
  public let serverID: String?
  public var name: String
  public var address: String
  /// A format of `EndpointFormats`.
  public var format: String
  /// A new token; empty: the stored token is not changed.
  public var token = ""
  public var removesToken = false
  /// "settings", or seconds as a text.
  public var interval: String
  public var isPaused: Bool
  public var onlyOnWifi: Bool
  /// The device's name in all records, for all servers.
  public var deviceID: String
  /// Why the form could not be saved, as a sentence.
  public private(set) var saveProblem: String?
  private let state: AppState
  private let hasStoredToken: Bool

  init(_ state: AppState, _ server: StoredServer?) {
    self.state = state
    serverID = server?.id
    name = server?.name ?? ""
    address = server?.address ?? ""
    format = server?.format ?? "overland"
    interval = server?.interval.map { SettingValue.number($0).plain } ?? Self.asInSettings
    isPaused = server?.isPaused ?? false
    onlyOnWifi = server?.onlyOnWifi ?? false
    deviceID = state.settings.deviceID
    hasStoredToken = server.map { ((try? state.services.credentials.token($0.id)) ?? nil) != nil } ?? false
  }

  private static let asInSettings = "settings"
  private var texts: AppTexts { state.texts }

  public var title: String { serverID == nil ? texts(.newServer) : texts(.editServer) }
  public var nameLabel: String { texts(.serverName) }
  public var addressLabel: String { texts(.serverAddress) }
  public var addressPlaceholder: String { "https://my.example/api/overland" }
  public var formatLabel: String { texts(.serverFormat) }
  public var tokenLabel: String { texts(.serverToken) }
  public var tokenPlaceholder: String { hasStoredToken ? texts(.tokenStored) : texts(.tokenNone) }
  public var removeTokenLabel: String { texts(.removeToken) }
  public var canRemoveToken: Bool { hasStoredToken }
  public var intervalLabel: String { texts(.sendInterval) }
  public var pausedLabel: String { texts(.serverPaused) }
  public var wifiLabel: String { texts(.onlyOnWifi) }
  public var deviceIDLabel: String { texts(.deviceID) }
  public var deviceIDText: String { texts(.deviceIDHint) }
  public var saveLabel: String { texts(.save) }
  public var cancelLabel: String { texts(.cancel) }

  public var formats: [ChoiceRow] {
    EndpointFormats.named.map { ChoiceRow(id: $0.name, label: Self.label(format: $0.name)) }
  }
  /// The intervals of the table of settings, and "as in the settings".
  public var intervals: [ChoiceRow] {
    let stops = [1, 5, 10, 15, 30, 60, 120, 300, 600, 1800, 3600, 10_800, 21_600]
    var rows = [ChoiceRow(id: Self.asInSettings, label: texts(.asInSettings))]
    rows += stops.map { ChoiceRow(id: "\($0)", label: state.measures.duration(Double($0))) }
    if !rows.contains(where: { $0.id == interval }), let seconds = Double(interval) {
      rows.append(ChoiceRow(id: interval, label: state.measures.duration(seconds)))
    }
    return rows
  }

  /// Why the form cannot be saved, as a sentence; `nil`: it can, or the address is empty.
  public var problem: String? {
    guard !address.isEmpty else { return nil }
    do throws(GodwitError) {
      _ = try edited.endpoint(token: nil)
    } catch { return error.message }
    var settings = state.settings
    do throws(SettingError) { try settings.set("device_id", to: .text(deviceID)) } catch { return error.description }
    return tokenIsPlain ? nil : texts(.tokenInvalid)
  }
  /// Why uploads can be intercepted (a token without https), as a sentence; `nil`: they cannot.
  public var exposureText: String? {
    let hasToken = !token.isEmpty || (hasStoredToken && !removesToken)
    guard hasToken, let endpoint = try? edited.endpoint(token: "-") else { return nil }
    return endpoint.exposureProblem
  }
  public var canSave: Bool { !trimmedAddress.isEmpty && problem == nil }

  /// Stores the server, which receives records from now on.
  /// - Returns: whether it was stored; otherwise ``saveProblem`` has the reason.
  @discardableResult
  public func save() -> Bool {
    guard canSave else { return false }
    let server = edited
    do {
      if !token.isEmpty {
        try state.services.credentials.setToken(token, server.id)
      } else if removesToken {
        try state.services.credentials.setToken(nil, server.id)
      }
    } catch {
      saveProblem = texts(.tokenNotStored, "\(error)")
      return false
    }
    var list = state.servers
    list.put(server)
    state.perform(.servers(list))
    if deviceID != state.settings.deviceID { state.set("device_id", .text(deviceID)) }
    saveProblem = nil
    return true
  }

  private var trimmedAddress: String { address.trimmingCharacters(in: .whitespacesAndNewlines) }
  private var tokenIsPlain: Bool { token.utf8.allSatisfy { $0 > 0x20 && $0 < 0x7F } }

  private var edited: StoredServer {
    let id = serverID ?? state.servers.newID(for: trimmedAddress)
    let name = name.trimmingCharacters(in: .whitespacesAndNewlines)
    return StoredServer(
      id: id, name: name.isEmpty ? id : name, address: trimmedAddress, format: format, interval: Double(interval),
      isPaused: isPaused, onlyOnWifi: onlyOnWifi)
  }

  static func label(format: String) -> String {
    switch format {
    case "overland": "Overland"
    case "overland-app": "Overland (app)"
    case "openlocate": "OpenLocate"
    case "owntracks": "OwnTracks"
    case "datadrop": "Data Drop"
    case "query": "Query string"
    default: format
    }
  }
}
