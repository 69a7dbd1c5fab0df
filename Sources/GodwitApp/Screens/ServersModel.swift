internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// The Servers screen: the destinations of records, and the state of the uploads.
@MainActor @Observable
public final class ServersModel {
  /// The shown form; `nil`: none. A view sets it to `nil` when the form is closed.
  public var form: ServerFormModel?
  /// The identifier of the server whose removal waits for a confirmation.
  private var removing: String?
  private let state: AppState

  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }

  public var title: String { texts(.servers) }
  public var emptyText: String? { state.servers.servers.isEmpty ? texts(.noServers) : nil }
  public var addLabel: String { texts(.addServer) }
  public var scanLabel: String { texts(.scanCode) }
  public var testLabel: String { texts(.testConnection) }
  public var removeLabel: String { texts(.remove) }
  public var cancelLabel: String { texts(.cancel) }
  /// Why the last change failed, as a sentence; `nil`: it succeeded.
  public var problem: String? { state.problem }

  public var rows: [ServerRow] {
    state.servers.servers.map { server in
      let status = state.status?.endpoints.first { $0.id.name == server.id }?.status
      let waiting = status?.waiting ?? 0
      let problem = (status?.problem ?? status?.heldBecause).map(state.plain)
      let sent =
        status?.lastSuccess.map { texts(.lastSentAgo, state.measures.duration(state.now.timeIntervalSince($0))) }
        ?? texts(.neverSent)
      let stateText = server.isPaused ? texts(.paused) : status?.isUploading == true ? texts(.sending) : sent
      let address = EndpointLabels([]).label(EndpointID(server.address))
      return ServerRow(
        id: server.id, name: server.name, addressText: address, formatText: ServerFormModel.label(format: server.format),
        waitingText: texts(.recordsWait, "\(waiting)"), stateText: stateText, problem: problem, isPaused: server.isPaused,
        isSending: status?.isUploading == true,
        accessibilityLabel: [server.name, stateText, texts(.recordsWait, "\(waiting)"), problem].compactMap(\.self)
          .joined(separator: ", "))
    }
  }

  // MARK: Editing

  public func add() { form = ServerFormModel(state, nil) }
  public func edit(_ id: String) { form = state.servers[id].map { ServerFormModel(state, $0) } }

  /// Saves the shown form, and closes it on success.
  public func saveForm() { if form?.save() == true { form = nil } }

  public func setPaused(_ isPaused: Bool, _ id: String) {
    guard var server = state.servers[id], server.isPaused != isPaused else { return }
    server.isPaused = isPaused
    var list = state.servers
    list.put(server)
    state.perform(.servers(list))
  }

  /// Moves a server. The first server may change settings.
  public func move(from source: Int, to destination: Int) {
    var list = state.servers
    guard list.servers.indices.contains(source), destination >= 0, destination <= list.servers.count else { return }
    let server = list.servers.remove(at: source)
    list.servers.insert(server, at: destination > source ? destination - 1 : destination)
    if list != state.servers { state.perform(.servers(list)) }
  }

  /// Sends all waiting records now. The rows show the result.
  public func test() { state.perform(.sendNow) }
  public var canTest: Bool { state.status != nil && !state.servers.servers.isEmpty }

  // MARK: Removing

  /// Removes a server. If records wait for it, a confirmation is required.
  public func remove(_ id: String) {
    guard state.servers[id] != nil else { return }
    if waiting(for: id) > 0 { removing = id } else { removeNow(id) }
  }
  /// Whether a removal waits for a confirmation. Setting it to `false` cancels the removal.
  public var needsConfirmation: Bool {
    get { removing != nil }
    set { if !newValue { removing = nil } }
  }
  public var confirmationTitle: String { texts(.removeServerPrompt, removing.flatMap { state.servers[$0]?.name } ?? "") }
  public var confirmationText: String { texts(.removeServerText, "\(removing.map(waiting) ?? 0)") }
  public func confirmRemoval() {
    guard let id = removing else { return }
    removing = nil
    removeNow(id)
  }

  private func waiting(for id: String) -> Int { state.status?.endpoints.first { $0.id.name == id }?.status.waiting ?? 0 }

  private func removeNow(_ id: String) {
    var list = state.servers
    let server = list[id]
    list.servers.removeAll { $0.id == id }
    state.perform(.servers(list))
    // A token that cannot be removed now is overwritten by the next server with the same identifier.
    try? state.services.credentials.setToken(nil, id)
    if let server { try? state.services.credentials.setToken(nil, server.readingCredential) }
  }
}

/// A server as a row.
public struct ServerRow: Identifiable, Sendable, Hashable {
  public var id: String
  public var name: String
  /// The address without its query, which may contain a secret.
  public var addressText: String
  public var formatText: String
  public var waitingText: String
  /// "Last sent 3 min ago", "Paused"
  public var stateText: String
  /// Why records are not sent, as a sentence; `nil`: no problem.
  public var problem: String?
  public var isPaused: Bool
  public var isSending: Bool
  public var accessibilityLabel: String
}
