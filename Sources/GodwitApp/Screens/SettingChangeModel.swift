internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitStatus
public import Observation

/// A pending change of settings. A change with warnings requires a confirmation.
@MainActor @Observable
public final class SettingChangeModel {
  private let state: AppState
  private var pending: [DesiredSetting]?
  /// Why the last change failed, as a sentence; `nil`: it succeeded.
  public private(set) var problem: String?

  init(_ state: AppState) { self.state = state }

  func request(_ values: [DesiredSetting]) {
    let review = SettingsReview(values, from: state.settings, waiting: state.status?.waiting ?? 0)
    problem = review.problems.first?.detail
    guard review.problems.isEmpty, !review.changes.isEmpty else { return }
    if review.warnings.isEmpty { state.perform(.set(values)) } else { pending = values }
  }

  /// Whether a change waits for a confirmation. Setting it to `false` cancels the change.
  public var needsConfirmation: Bool {
    get { pending != nil }
    set { if !newValue { pending = nil } }
  }
  public var confirmationTitle: String { state.texts(.changeSettingsPrompt) }
  /// The warnings of the change.
  public var confirmationText: String {
    guard let pending else { return "" }
    return SettingsReview(pending, from: state.settings, waiting: state.status?.waiting ?? 0).warnings.map(\.detail)
      .joined(separator: "\n")
  }
  public var confirmLabel: String { state.texts(.changeAnyway) }
  public var cancelLabel: String { state.texts(.cancel) }
  public func confirm() {
    guard let values = pending else { return }
    pending = nil
    state.perform(.set(values))
  }
  public func cancel() { pending = nil }
}
