internal import Foundation
internal import GodwitCommandLine
internal import GodwitIntake
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

/// `godwit device settings`
struct DeviceSettings: StoreCommand {
  static let name = "settings"
  static let abstract = "Set the desired settings of a device, and show their state."
  static let discussion = """
    The settings are sent with each response to the device's uploads until the device has applied them. Only settings that a
    server may change are accepted; `godwit settings` marks them. Works beside a running server.
    """
  static let examples = [
    (line: "godwit device settings phone", purpose: "Show the desired settings and their state"),
    (
      line: "godwit device settings phone send_interval=10s main.min_distance=50m",
      purpose: "Set two settings, instead of pending ones"
    ),
    (
      line: "godwit device settings phone send_interval=off --force",
      purpose: "Turn off an app until its user turns it on manually"
    ),
    (line: "godwit device settings phone --withdraw", purpose: "Withdraw pending settings"),
  ]

  @Operands("NAME [KEY=VALUE…]", 1...100, "The device's name, and settings as `godwit settings` shows them")
  var words: [String]
  let storeOptions = StoreOptions()
  @Flag("withdraw", "Withdraw pending settings")
  var withdraws: Bool
  @Flag("force", "Also set values that end the contact with Overland's app, such as send_interval=off")
  var force: Bool
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let (name, pairs) = (words[0], words.dropFirst())
    if withdraws, !pairs.isEmpty { throw UsageError("--withdraw accepts no settings") }
    let ordered = try Self.settings(pairs)
    let store = try openStore()
    defer { store.close() }
    if let ordered {
      do { try await PendingSettings.place(ordered, device: name, force: force, in: store) } catch let problem as Problem {
        throw Failure(problem.detail)
      }
    } else if withdraws, try await !PendingSettings.withdraw(device: name, in: store) {
      Output.log("No settings were pending for \(name).")
    }
    show(try PendingSettings.lines(device: name, in: store), of: name)
  }

  private static func settings(_ pairs: ArraySlice<String>) throws -> DesiredSettings? {
    var values: [String: SettingValue] = [:]
    for pair in pairs {
      let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2 else {
        throw UsageError("\"\(pair)\" is not a setting; expected KEY=VALUE, such as send_interval=10s")
      }
      values[parts[0]] = value(parts[1], of: parts[0])
    }
    if values.isEmpty { return nil }
    do { return try DesiredSettings(values) } catch { throw Failure(error.detail) }
  }

  /// Converts a word to the type of a setting. An unknown setting is rejected by its name later.
  private static func value(_ word: String, of name: String) -> SettingValue {
    switch Settings.entry(name)?.kind {
    case .flag: ["true", "false"].contains(word) ? .flag(word == "true") : .text(word)
    case .number: Double(word).map { .number($0) } ?? .text(word)
    case .list: .list(word.split(separator: ",").map(String.init))
    case .choice, .text, nil: .text(word)
    }
  }

  private func show(_ lines: [PendingSettings.Line], of name: String) {
    func time(_ date: Date?) -> String { date.map { $0.formattedUTC } ?? "-" }
    if json {
      let texts = lines.map { line in
        #"{"created":"\#(time(line.created))","state":"\#(line.state)","sends":\#(line.sends),"settings":\#(line.settings)}"#
      }
      Output.result(Array("[\(texts.joined(separator: ","))]\n".utf8))
      return
    }
    if lines.isEmpty { Output.log("\(name) has never had desired settings.") }
    var rows = [["CREATED", "STATE", "SENT", "LAST SENT", "CLOSED", "SETTINGS"]]
    for line in lines {
      rows.append([
        time(line.created), line.state, String(line.sends), time(line.lastSent), time(line.closed), line.settings,
      ])
    }
    if rows.count > 1 { Output.result(TextTable.text(rows)) }
  }
}
