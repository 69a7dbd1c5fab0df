internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
public import Observation

/// The onboarding: explains the app, and requests each permission with its reason. Location is requested in two steps, as Apple's systems
/// require: first while the app is in use, then always.
@MainActor @Observable
public final class OnboardingModel {
  /// The steps in order.
  public enum Step: String, Sendable, Codable, CaseIterable {
    case welcome, whenInUse, always, motion, notifications, server
  }

  private struct Memory: Codable {
    var finished: Set<Step> = []
  }

  static let file = "onboarding.json"
  private let state: AppState
  private var memory = Memory()
  private var isLoaded = false
  /// Whether the system was asked for the permission of this step and has not decided yet.
  private var hasAsked = false

  private let pairing: PairingModel

  init(_ state: AppState, _ pairing: PairingModel) {
    self.state = state
    self.pairing = pairing
  }

  private var texts: AppTexts { state.texts }

  /// The current step; `nil`: all steps are finished.
  public var step: Step? { isLoaded ? Step.allCases.first { !memory.finished.contains($0) && !isDecided($0) } : nil }
  /// Whether the onboarding is shown instead of the screens.
  public var isNeeded: Bool { step != nil }

  /// Reads the steps that earlier launches stored, once files can be read, and finishes steps that were decided elsewhere. A permission
  /// that is revoked later causes an alert, and does not show the onboarding again.
  func update() {
    load()
    guard isLoaded, state.phase == .running else { return }
    while let next = Step.allCases.first(where: { !memory.finished.contains($0) }), isDecided(next) { finish(next) }
  }

  private func load() {
    guard !isLoaded else { return }
    do {
      memory = try state.services.files.value(Memory.self, Self.file) ?? Memory()
      isLoaded = true
    } catch is DecodingError {
      // If the file is damaged, only skipped steps are shown again.
      isLoaded = true
    } catch {
      // The file cannot be read yet. The next report of the tracker tries again.
    }
  }

  // MARK: Texts

  /// "2 of 6"
  public var progressText: String {
    let index = step.flatMap(Step.allCases.firstIndex(of:)) ?? 0
    return texts(.stepOf, "\(index + 1)", "\(Step.allCases.count)")
  }
  public var title: String {
    switch step {
    case .welcome: texts(.welcomeTitle)
    case .whenInUse: texts(.whenInUseTitle)
    case .always: texts(.alwaysTitle)
    case .motion: texts(.motionTitle)
    case .notifications: texts(.notificationsTitle)
    case .server: texts(.serverTitle)
    case nil: ""
    }
  }
  /// The requested permission and the reason.
  public var reason: String {
    switch step {
    case .welcome: texts(.welcomeReason)
    case .whenInUse: isDenied ? texts(.locationDeniedReason) : texts(.whenInUseReason)
    case .always: hasAsked ? texts(.alwaysAskedReason) : texts(.alwaysReason)
    case .motion: texts(.motionReason)
    case .notifications: texts(.notificationsReason)
    case .server: texts(.serverReason)
    case nil: ""
    }
  }
  /// The name of a symbol of SF Symbols for the step.
  public var symbol: String {
    switch step {
    case .welcome, nil: "bird.fill"
    case .whenInUse: "location.fill"
    case .always: "location.circle.fill"
    case .motion: "figure.walk.motion"
    case .notifications: "bell.fill"
    case .server: "server.rack"
    }
  }
  public var actionLabel: String {
    switch step {
    case .welcome, nil: texts(.continueLabel)
    case .whenInUse: isDenied ? texts(.openSettings) : texts(.allowLocation)
    case .always: hasAsked ? texts(.openSettings) : texts(.allowAlways)
    case .motion: texts(.allowMotion)
    case .notifications: texts(.allowNotifications)
    case .server: texts(.scanCode)
    }
  }
  public var skipLabel: String { hasAsked || isDenied ? texts(.continueLabel) : texts(.notNow) }
  public var canSkip: Bool { step != nil && step != .welcome }

  // MARK: Actions

  /// Performs the action of the button.
  public func act() {
    switch step {
    case .welcome: finish(.welcome)
    case .whenInUse: if isDenied { state.services.openSystemSettings() } else { state.requestAuthorization(.whenInUse) }
    case .always:
      if hasAsked {
        state.services.openSystemSettings()
      } else {
        hasAsked = true
        state.requestAuthorization(.always)
      }
    case .motion: state.services.permissions.requestMotion { [weak self] _ in self?.finish(.motion) }
    case .notifications:
      state.services.permissions.requestNotifications { [weak self] decision in
        if decision == .granted { self?.state.set("notifications", .flag(true)) }
        self?.finish(.notifications)
      }
    case .server:
      finish(.server)
      pairing.begin()
    case nil: break
    }
  }

  /// Skips the step, which is not shown again.
  public func skip() { if let step, canSkip { finish(step) } }

  private var isDenied: Bool { state.authorization == .denied || state.authorization == .restricted }

  /// Whether a step has nothing to request, because it was decided elsewhere.
  private func isDecided(_ step: Step) -> Bool {
    switch step {
    case .welcome: false
    case .whenInUse: state.authorization == .whenInUse || state.authorization == .always
    // The second permission requires the first.
    case .always: state.authorization != .whenInUse || state.settings.authorization == .whenInUse
    case .motion: state.services.permissions.motion() != .undecided
    case .notifications: state.settings.notifies
    case .server: !state.servers.servers.isEmpty
    }
  }

  private func finish(_ step: Step) {
    hasAsked = false
    memory.finished.insert(step)
    // If this fails, the step is shown again at the next launch.
    try? state.services.files.store(memory, Self.file)
  }
}
