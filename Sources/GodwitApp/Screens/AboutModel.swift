internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// The About screen: the collected data, its destinations and its retention; the export; and the deletion of all data.
@MainActor @Observable
public final class AboutModel {
  private let state: AppState
  /// Whether the deletion waits for a confirmation.
  public var needsConfirmation = false
  /// The result of the last deletion or export; `nil`: none yet.
  public private(set) var message: String?

  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }

  public var title: String { texts(.about) }
  public var versionText: String { texts(.version, Version.current) }

  // MARK: Privacy

  public var collectedTitle: String { texts(.collectedTitle) }
  /// The collected fields, a sentence each.
  public var collected: [String] {
    CollectingFields.names.filter { state.settings.fields.contains($0.field) }.map { texts.translated($0.summary) }
  }
  public var destinationTitle: String { texts(.destinationTitle) }
  /// The servers that receive records.
  public var destinations: [String] {
    let servers = state.servers.servers
    if servers.isEmpty { return [texts(.noDestination)] }
    return servers.map { server in
      let label = EndpointLabels([]).label(EndpointID(server.address))
      let exposure = (try? server.endpoint(token: "-"))?.exposureProblem
      return exposure == nil ? label : texts(.destinationExposed, label)
    }
  }
  public var retentionTitle: String { texts(.retentionTitle) }
  /// How long this phone keeps recorded data.
  public var retentionText: String {
    texts(.retentionText, state.measures.duration(state.settings.retention), state.measures.duration(TrackLog.length))
  }
  /// Practices that this app excludes.
  public var promiseText: String { texts(.privacyPromise) }

  // MARK: Export

  public var exportLabel: String { texts(.exportTrack) }
  public var canExport: Bool { !state.track.points.isEmpty }
  /// Returns the positions on this phone as a GPX file.
  public func export() -> String {
    var lines = [
      #"<?xml version="1.0" encoding="UTF-8"?>"#,
      #"<gpx version="1.1" creator="Godwit" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg>"#,
    ]
    for point in state.track.points {
      lines.append(
        #"<trkpt lat="\#(point.coordinate.latitude)" lon="\#(point.coordinate.longitude)"><time>"#
          + RFC3339.string(point.time) + "</time></trkpt>")
    }
    lines.append("</trkseg></trk></gpx>")
    return lines.joined(separator: "\n") + "\n"
  }
  public var exportFileName: String { "godwit.gpx" }

  // MARK: Deletion

  public var deleteLabel: String { texts(.deleteAll) }
  public var confirmationTitle: String { texts(.deleteAllPrompt) }
  public var confirmationText: String { texts(.deleteAllText, "\(state.status?.waiting ?? 0)") }
  public var cancelLabel: String { texts(.cancel) }
  public var canDelete: Bool { state.status != nil }

  /// Requests a confirmation.
  public func delete() { needsConfirmation = true }

  /// Turns tracking off, and deletes waiting records, positions, wifi zones, servers and tokens. Positions that arrive before the tracker
  /// stops are deleted with its waiting records. Settings, the coverage log and data on servers are not deleted.
  public func confirmDeletion() {
    needsConfirmation = false
    if state.status?.trip != nil { state.perform(.stopTrip) }
    state.perform(.stopTracking)
    state.perform(.purge)
    if !state.settings.wifiZones.isEmpty { state.set("wifi_zones", .list([])) }
    do {
      for server in state.servers.servers {
        try state.services.credentials.setToken(nil, server.id)
        try state.services.credentials.setToken(nil, server.readingCredential)
      }
      try state.track.removeAll()
      try DayCache(files: state.services.files).removeAll()
      message = texts(.deletedAll)
    } catch { message = texts(.deletionFailed, "\(error)") }
    if !state.servers.servers.isEmpty { state.perform(.servers(ServerList())) }
  }
}
