internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// Pairing with a server by the text of a QR code or an opened link. Nothing changes before the user confirms.
@MainActor @Observable
public final class PairingModel {
  private enum Step: Equatable {
    case scanning
    case confirming(SetupLink)
    case done(String)
    case failed(String)
    case noCamera
  }

  private let state: AppState
  private var step = Step.scanning
  /// Whether the screen for pairing is shown. An opened link sets it.
  public var isShown = false
  /// A link that is typed or pasted instead of scanned.
  public var typedLink = ""

  init(_ state: AppState) { self.state = state }

  private var texts: AppTexts { state.texts }

  // MARK: Step

  public var isScanning: Bool { step == .scanning }
  public var isConfirming: Bool { link != nil }
  public var isDone: Bool { if case .done = step { true } else { false } }
  public var hasFailed: Bool { if case .failed = step { true } else { false } }
  public var isCameraDenied: Bool { step == .noCamera }

  public var title: String { texts(.pairingTitle) }
  /// The next step for the user, or the result.
  public var message: String {
    switch step {
    case .scanning: texts(.pairingScan)
    case .confirming: texts(.pairingPrompt)
    case .done(let text), .failed(let text): text
    case .noCamera: texts(.cameraDenied)
    }
  }
  public var typedLinkLabel: String { texts(.pairingLink) }
  public var readLinkLabel: String { texts(.pairingRead) }
  public var canReadLink: Bool { !typedLink.trimmingCharacters(in: .whitespacesAndNewlines).isEmpty }
  public var confirmLabel: String { texts(.pairingConfirm) }
  public var cancelLabel: String { texts(.cancel) }
  public var againLabel: String { texts(.pairingAgain) }
  public var doneLabel: String { texts(.done) }
  public var openSettingsLabel: String { texts(.openSettings) }
  public func openSystemSettings() { state.services.openSystemSettings() }

  // MARK: Input

  /// Shows the screen, ready to scan.
  public func begin() {
    (step, typedLink, isShown) = (.scanning, "", true)
  }

  /// Reads the text of a QR code. While a confirmation is shown, further codes are ignored, because a camera reports the same code again.
  public func scanned(_ text: String) { if step == .scanning { read(text) } }

  /// Reads a link with which the system opened the app.
  public func opened(_ link: String) {
    isShown = true
    read(link)
  }

  /// Reads the typed link.
  public func readTypedLink() { if canReadLink { read(typedLink) } }

  /// Called when the system denies access to the camera.
  public func cameraDenied() { if step == .scanning { step = .noCamera } }

  private func read(_ text: String) {
    let text = text.trimmingCharacters(in: .whitespacesAndNewlines)
    do throws(GodwitError) {
      let link = try SetupLink(link: text)
      _ = try link.changes(of: state.settings)
      step = .confirming(link)
    } catch { step = .failed(error.message) }
  }

  // MARK: Confirmation

  private var link: SetupLink? { if case .confirming(let link) = step { link } else { nil } }

  /// The changes that the link would make.
  public var changes: [Figure] {
    guard let link else { return [] }
    var rows: [Figure] = []
    if let address = link.address {
      rows.append(Figure(id: "url", title: texts(.serverAddress), value: EndpointLabels([]).label(EndpointID(address))))
      rows.append(
        Figure(id: "format", title: texts(.serverFormat), value: ServerFormModel.label(format: link.format ?? "overland")))
      rows.append(
        Figure(id: "token", title: texts(.serverToken), value: link.token == nil ? texts(.tokenNone) : texts(.tokenIncluded)))
    }
    for change in SettingsReview(link.settings, from: state.settings).changes {
      rows.append(Figure(id: change.name, title: texts.translated(change.title), value: "\(change.old) → \(change.new)"))
    }
    return rows
  }
  /// Whether the link adds a server, changes a known one, or changes settings only, as a sentence.
  public var effectText: String {
    guard let link, let address = link.address else { return texts(.pairingSettingsOnly) }
    return server(at: address).map { texts(.pairingChangesServer, $0.name) } ?? texts(.pairingAddsServer)
  }
  /// Why the token can be intercepted, as a sentence; `nil`: it cannot.
  public var exposureText: String? { link?.exposureProblem }
  /// Whether the link would change nothing.
  public var changesNothing: Bool { changes.isEmpty }

  /// Applies the changes.
  public func confirm() {
    guard let link else { return }
    do {
      if let address = link.address { try apply(address, link) }
      if !link.settings.isEmpty { state.perform(.set(link.settings)) }
      step = .done(texts(.pairingDone))
    } catch { step = .failed(texts(.tokenNotStored, "\(error)")) }
  }

  /// Discards the link and scans again.
  public func again() {
    step = .scanning
    typedLink = ""
  }

  public func close() {
    isShown = false
    again()
  }

  private func apply(_ address: String, _ link: SetupLink) throws {
    var list = state.servers
    let id = server(at: address)?.id ?? list.newID(for: address)
    var server = list[id] ?? StoredServer(id: id, name: id, address: address)
    server.address = address
    if let format = link.format { server.format = format }
    if let token = link.token { try state.services.credentials.setToken(token, id) }
    list.put(server)
    state.perform(.servers(list))
  }

  private func server(at address: String) -> StoredServer? { state.servers.servers.first { $0.address == address } }
}
