#if os(Linux)
  public import Foundation
  internal import Glibc
  internal import GodwitDBus
  public import GodwitEngine
  internal import Synchronization

  /// Shows notices as desktop notifications, with a button for each response.
  ///
  ///     let notifier = DesktopNotifier { line in print(line) }
  ///     configuration.notifier = notifier
  ///     await notifier.run(answering: { answer in tracker.answer(answer) })
  ///
  /// If no desktop shows notifications, notices are written as lines. A notice for a later time is held in this process
  /// only; it is lost if the process is killed.
  ///
  /// Source: https://specifications.freedesktop.org/notification-spec/latest/
  public final class DesktopNotifier: Notifier {
    private static let service = "org.freedesktop.Notifications"
    private static let path = "/org/freedesktop/Notifications"

    private let bus: DBusAddress
    private let program: String
    private let queue: NoticeQueue
    private let write: @Sendable (String) -> Void
    private let found = Mutex<DeviceMonitor.Part?>(nil)

    /// A notifier on the bus of the desktop's session.
    ///
    /// - Parameters:
    ///   - program: the name that the desktop shows with a notification.
    ///   - now: the clock.
    ///   - sleep: suspends for a number of seconds, and throws when its task is cancelled.
    ///   - write: receives each line if no desktop shows notifications.
    public convenience init(
      program: String = "Godwit", now: @escaping @Sendable () -> Date = { Date() },
      sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
      write: @escaping @Sendable (String) -> Void
    ) {
      self.init(bus: .session, program: program, now: now, sleep: sleep, write: write)
    }

    /// A notifier on another bus, for tests.
    init(
      bus: DBusAddress, program: String = "Godwit", now: @escaping @Sendable () -> Date = { Date() },
      sleep: @escaping @Sendable (_ seconds: Double) async throws -> Void = { try await Task.sleep(for: .seconds($0)) },
      write: @escaping @Sendable (String) -> Void
    ) {
      self.bus = bus
      self.program = program
      self.write = write
      queue = NoticeQueue(now: now, sleep: sleep)
    }

    public func show(_ notice: Notice, at time: Date?) { queue.show(notice, at: time) }
    public func withdraw(_ kind: Notice.Kind) { queue.withdraw(kind) }

    /// Whether there is a desktop that shows notifications; `nil` before the first check.
    public var part: DeviceMonitor.Part? { found.withLock { $0 } }

    /// Checks once whether a desktop shows notifications.
    public func check() async -> DeviceMonitor.Part {
      do {
        return Self.works(try await Desktop(bus))
      } catch {
        return Self.missing(error)
      }
    }

    /// Shows each notice at its time until the task is cancelled. Call it once.
    /// - Parameters:
    ///   - tell: receives the condition of the desktop, first and at every change.
    ///   - response: receives the response that the user chose.
    public func run(
      telling tell: @escaping @Sendable (DeviceMonitor.Part) -> Void = { _ in },
      answering response: @escaping @Sendable (Notice.Response) -> Void
    ) async {
      let screen = Screen(bus: bus, program: program, write: write, response: response) { [self] part in
        let isNew = found.withLock { found in
          defer { found = part }
          return found?.condition != part.condition
        }
        if isNew { tell(part) }
      }
      await withTaskGroup(of: Void.self) { group in
        await screen.connect()
        group.addTask { await screen.listen() }
        await queue.run { step in
          switch step {
          case .show(let notice): await screen.show(notice)
          case .close(let kind): await screen.close(kind)
          }
        }
        group.cancelAll()
      }
    }

    private static func works(_ desktop: Desktop) -> DeviceMonitor.Part {
      DeviceMonitor.Part(
        .notifications, .works,
        "\(printable(desktop.name)) shows them" + (desktop.hasActions ? "." : ", without buttons for answers."))
    }

    private static func missing(_ error: any Error) -> DeviceMonitor.Part {
      let advice =
        if case .noService? = (error as? DBusError)?.code {
          "Install a program that shows them (Debian: apt install dunst, or a desktop)."
        } else {
          "They appear if godwit runs in a desktop session; a system service needs"
            + " DBUS_SESSION_BUS_ADDRESS=unix:path=/run/user/\(getuid())/bus in its environment."
        }
      return DeviceMonitor.Part(.notifications, .missing, "Printed on the terminal, because \(error) \(advice)")
    }

    // MARK: The desktop

    /// A connection to the desktop, and its capabilities.
    private struct Desktop: Sendable {
      let connection: DBusConnection
      var name: String
      var hasActions: Bool
      var readsMarkup: Bool
      /// The unique bus name of the program that shows notifications.
      var owner: String

      init(_ bus: DBusAddress) async throws {
        connection = try await DBusConnection(bus)
        let capabilities = try await Self.ask(connection, "GetCapabilities").first?.elements?.compactMap(\.text) ?? []
        hasActions = capabilities.contains("actions")
        readsMarkup = capabilities.contains("body-markup")
        let name = try await Self.ask(connection, "GetServerInformation").first?.text ?? ""
        self.name = name.isEmpty ? "The desktop" : name
        let owner = try await connection.call(
          DBusCall(
            service: "org.freedesktop.DBus", path: "/org/freedesktop/DBus", interface: "org.freedesktop.DBus",
            member: "GetNameOwner", arguments: [.string(service)]))
        self.owner = owner.first?.text ?? ""
      }

      static func ask(
        _ connection: DBusConnection, _ member: String, _ arguments: [DBusValue] = []
      ) async throws -> [DBusValue] {
        try await connection.call(
          DBusCall(service: service, path: path, interface: service, member: member, arguments: arguments),
          timeout: .seconds(5))
      }
    }

    /// The notifications on the desktop.
    private actor Screen {
      private let bus: DBusAddress
      private let program: String
      private let write: @Sendable (String) -> Void
      private let response: @Sendable (Notice.Response) -> Void
      private let tell: @Sendable (DeviceMonitor.Part) -> Void
      private var desktop: Desktop?
      /// The identifiers that the desktop gave to shown notifications.
      private var shown: [Notice.Kind: UInt32] = [:]
      /// Signals that arrived while the identifier of a new notification was pending: they may belong to it. `nil`:
      /// none is pending.
      private var early: [DBusSignal]?
      /// The signals of successive connections.
      private let conversations: AsyncStream<AsyncStream<DBusSignal>>
      private let connected: AsyncStream<AsyncStream<DBusSignal>>.Continuation

      init(
        bus: DBusAddress, program: String, write: @escaping @Sendable (String) -> Void,
        response: @escaping @Sendable (Notice.Response) -> Void, tell: @escaping @Sendable (DeviceMonitor.Part) -> Void
      ) {
        self.bus = bus
        self.program = program
        self.write = write
        self.response = response
        self.tell = tell
        (conversations, connected) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
      }

      func connect() async {
        guard desktop == nil || desktop?.connection.broken != nil else { return }
        shown = [:]
        do {
          let new = try await Desktop(bus)
          // Subscribed before a notification is shown, so that no response is lost.
          let rules = ["ActionInvoked", "NotificationClosed"].map {
            DBusRule(service: service, path: path, interface: service, member: $0)
          }
          connected.yield(try await new.connection.signals(rules + [.presence(of: service)]))
          desktop = new
          tell(DesktopNotifier.works(new))
        } catch {
          desktop = nil
          if !Task.isCancelled { tell(DesktopNotifier.missing(error)) }
        }
      }

      func show(_ notice: Notice) async {
        // A desktop may have started since the last connection attempt.
        await connect()
        guard let desktop else { return write(notice.sentence) }
        early = []
        defer {
          let signals = early ?? []
          early = nil
          for signal in signals { handle(signal) }
        }
        do {
          let response = try await Desktop.ask(desktop.connection, "Notify", call(notice, on: desktop))
          guard let id = response.first?.whole.flatMap({ UInt32(exactly: $0) }) else {
            throw DBusError(.malformed, "\(service) returned no number for a notification.")
          }
          shown[notice.kind] = id
        } catch {
          if Task.isCancelled { return }
          write(notice.sentence)
          tell(DesktopNotifier.missing(error))
          self.desktop = nil
        }
      }

      private func call(_ notice: Notice, on desktop: Desktop) -> [DBusValue] {
        let responses = desktop.hasActions ? notice.responses.flatMap { [$0.rawValue, $0.label] } : []
        let body = desktop.readsMarkup ? Self.escaped(notice.body) : notice.body
        return [
          .string(program), .uint32(shown[notice.kind] ?? 0), .string("mark-location"), .string(notice.title),
          .string(body), .strings(responses),
          .dictionary(of: "sv", [DBusValue.Entry(key: .string("urgency"), value: .variant(.byte(1)))]),
          // A question stays until it is answered; the desktop decides about other notices.
          .int32(notice.responses.isEmpty ? -1 : 0),
        ]
      }

      private static func escaped(_ text: String) -> String {
        text.replacing("&", with: "&amp;").replacing("<", with: "&lt;").replacing(">", with: "&gt;")
      }

      func close(_ kind: Notice.Kind) async {
        guard let id = shown.removeValue(forKey: kind), let desktop else { return }
        // The call fails for a notification that is already closed.
        _ = try? await Desktop.ask(desktop.connection, "CloseNotification", [.uint32(id)])
      }

      /// Handles the signals of the desktop until the task is cancelled.
      func listen() async {
        for await signals in conversations {
          for await signal in signals { handle(signal) }
        }
      }

      private func handle(_ signal: DBusSignal) {
        if signal.member == "NameOwnerChanged" {
          // Another notification server, or none, owns the name now. The new server does not know the shown notifications.
          if signal.arguments.last?.text != desktop?.owner { desktop = nil }
          return
        }
        guard signal.sender == desktop?.owner else { return }
        if let count = early?.count {
          // The limit is more than a user can click during one call.
          if count < 64 { early?.append(signal) }
          return
        }
        guard let number = signal.arguments.first?.whole,
          let kind = shown.first(where: { Int($0.value) == number })?.key
        else { return }
        if signal.member == "NotificationClosed" {
          shown[kind] = nil
        } else if signal.arguments.count == 2, let chosen = signal.arguments[1].text.flatMap(Notice.Response.init) {
          response(chosen)
        }
      }
    }
  }
#endif
