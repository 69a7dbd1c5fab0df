internal import Foundation
internal import Godwit
internal import GodwitEngine
internal import GodwitModel
internal import GodwitServer

/// `godwit device …`
struct DeviceCommand: Command {
  static let name = "device"
  static let abstract = "Add, list and shut out devices."
  static let examples = [(line: "godwit device add phone", purpose: "Make a token for a phone")]
  static let subcommands: [any Command.Type] = [
    DeviceAdd.self, DeviceList.self, DeviceRevoke.self, DeviceSettings.self, DeviceTopicsShow.self,
  ]
  func run() async throws {}
}

/// `godwit device add`
struct DeviceAdd: StoreCommand {
  static let name = "add"
  static let abstract = "Make a device, or one more token for it, and print how to set it up."
  static let discussion = """
    Works beside a running server. The token is shown this once; the server keeps only its hash.
    """
  static let examples = [
    (
      line: "godwit device add phone --url https://example.org/api/overland",
      purpose: "With the address that the phone can reach"
    ),
    (line: "godwit device add van --json", purpose: "For a program"),
  ]

  @Operands("NAME", 1...1, "The device's name: letters, digits, blanks and -_.@")
  var names: [String]
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
  var store: StoreLocation?
  @Option(
    "url", "URL", default: "http://127.0.0.1:8080/api/overland", shown: "http://127.0.0.1:8080/api/overland",
    "The server's address as the device sees it, for the set-up link")
  var url: String
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let name = names[0]
    guard Device.isValid(name: name) else {
      throw UsageError(
        "\"\(name)\" is no name for a device: 1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends"
      )
    }
    let token = AccessToken()
    let store = try openStore()
    defer { store.close() }
    _ = try store.addDevice(named: name, tokenHash: token.hash, at: Date())
    let setup = SetupLink(
      address: url, token: token.secret, settings: [SettingOffer(name: "device_id", value: .text(name))])
    if json {
      let object: [String: Any] = [
        "device": name, "token": token.secret,
        "setup": ["overland": setup.text(scheme: "overland"), "godwit": setup.text(scheme: "godwit")],
      ]
      let text = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
      Output.result(Array(text) + [0x0A])
    } else {
      Output.result(
        """
        Device:  \(name)
        Token:   \(token.secret)
        Overland set-up link, to be opened on the phone:
          \(setup.text(scheme: "overland"))
        godwit:  godwit track --source gpsd://127.0.0.1:2947 --endpoint \(url) --token \(token.secret)

        """)
      // For a person at a terminal; a program that reads this wants no pictures.
      if isatty(STDOUT_FILENO) == 1, let code = QRCode.lines(setup.text(scheme: "overland")) {
        Output.result(code.map { "  \($0)\n" }.joined() + "  Scan it with the phone's camera.\n")
      }
      Output.note("The token is shown this once. If it is lost, add the device again for a new one.")
    }
  }
}

/// `godwit device list`
struct DeviceList: StoreCommand {
  static let name = "list"
  static let abstract = "Show the devices and what is known of them."
  static let examples = [(line: "godwit device list", purpose: "As a table")]

  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
  var store: StoreLocation?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let devices = try store.devices()
    let missing = try store.journals(device: nil).reduce(into: [Int64: Int]()) {
      $0[$1.device.id, default: 0] += $1.missingCount
    }
    func time(_ date: Date?) -> String { date.map { $0.formattedUTC } ?? "-" }
    if json {
      let list = devices.map { summary -> [String: Any] in
        [
          "name": summary.device.name, "points": summary.points, "first": summary.first?.formattedUTC ?? NSNull(),
          "last": summary.last?.fix.time.formattedUTC ?? NSNull(),
          "last_contact": summary.lastContact?.formattedUTC ?? NSNull(), "refused": summary.refused,
          "missing": missing[summary.device.id] ?? 0,
          "tokens": summary.tokens,
        ]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
      return
    }
    if devices.isEmpty { Output.note("There are no devices yet. `godwit device add NAME` makes one.") }
    var rows = [["NAME", "POINTS", "FIRST", "LAST", "LAST CONTACT", "REFUSED", "MISSING", "TOKENS"]]
    for summary in devices {
      rows.append([
        summary.device.name, String(summary.points), time(summary.first), time(summary.last?.fix.time),
        time(summary.lastContact), String(summary.refused),
        String(missing[summary.device.id] ?? 0), String(summary.tokens),
      ])
    }
    if rows.count > 1 { Output.result(TextTable.text(rows)) }
  }
}

/// `godwit device revoke`
struct DeviceRevoke: StoreCommand {
  static let name = "revoke"
  static let abstract = "Make all tokens of a device worthless. Its points stay."
  static let examples = [(line: "godwit device revoke phone", purpose: "A lost phone")]

  @Operands("NAME", 1...1, "The device's name")
  var names: [String]
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
  var store: StoreLocation?

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    guard let count = try store.revokeTokens(ofDeviceNamed: names[0], at: Date()) else {
      throw Failure("There is no device \"\(names[0])\". `godwit device list` shows those that are.")
    }
    Output.note("\(count) token\(count == 1 ? "" : "s") of \(names[0]) will be refused from now on.")
  }
}
