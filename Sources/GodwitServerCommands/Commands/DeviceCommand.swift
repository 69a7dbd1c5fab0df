internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitDeletion
internal import GodwitEngine
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitServer
internal import GodwitStore

/// `godwit device …`
struct DeviceCommand: Command {
  static let name = "device"
  static let abstract = "Add, list, rename, merge, delete and revoke devices."
  static let examples = [(line: "godwit device add phone", purpose: "Create a token for a phone")]
  static let subcommands: [any Command.Type] = [
    DeviceAdd.self, DeviceList.self, DeviceRename.self, DeviceMerge.self, DeviceDelete.self, DeviceRevoke.self,
    DeviceSettings.self, DeviceTopicsShow.self, DeviceOwnTracks.self,
  ]
  func run() async throws {}

  /// Returns the error message for an invalid name.
  static func invalid(name: String) -> String {
    "\"\(name)\" is not a valid device name: 1 to 64 letters, digits, blanks and -_.@, with a letter or digit at both ends"
  }
}

/// `godwit device add`
struct DeviceAdd: StoreCommand {
  static let name = "add"
  static let abstract = "Create a device, or another token for it, and print how to set it up."
  static let discussion = """
    Works beside a running server. The token is shown once; the server stores only its hash. The set-up link has the address at which
    the server of the data folder listens; give another one with --url if the device reaches the server through a proxy or by a name.
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
  let storeOptions = StoreOptions()
  @OptionalOption(
    "url", "URL",
    "The server's address in the set-up link, as the device reaches it (default: that of the running server, or else \(standardAddress))"
  )
  var url: String?
  @Flag("json", "Print JSON")
  var json: Bool

  /// The address in the set-up link while no server runs on the data folder.
  private static let standardAddress = "http://\(ListenAddress.server)/api/overland"

  /// The address of the running server for records, as `godwit login` finds it.
  private var runningAddress: String? {
    AdministratorLogin(dataFolder: data).currentAddress.map { ($0.hasSuffix("/") ? $0 : $0 + "/") + "api/overland" }
  }

  func run() async throws {
    let name = names[0]
    guard Device.isValid(name: name) else {
      throw UsageError(DeviceCommand.invalid(name: name))
    }
    let token = AccessToken()
    let store = try openStore(creates: true)
    defer { store.close() }
    _ = try store.addDevice(named: name, tokenHash: token.hash, at: Date())
    let address = url ?? runningAddress ?? Self.standardAddress
    let setup = SetupLink(
      address: address, token: token.secret, settings: [DesiredSetting(name: "device_id", value: .text(name))])
    if let problem = setup.exposureProblem { Output.log("Warning: \(problem)") }
    let isLocal = URLComponents(string: address)?.host.map { LocalHost.isNamed(by: $0, port: nil) } ?? false
    if isLocal {
      Output.log(
        "Warning: a phone cannot reach \(address), an address of this machine alone. Give the address that it can reach with --url; "
          + "`godwit serve --listen 0.0.0.0:8080` listens for the whole network.")
    }
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
        Overland set-up link, to open on the phone:
          \(setup.text(scheme: "overland"))
        Command for a tracker on Linux, to run on its machine:
          godwit-tracker setup \(ShellWord.quoted(setup.text(scheme: "godwit")))

        """)
      // The code is only for a terminal, not for a program that reads the output, and only for an address that a phone can reach.
      if !isLocal, isatty(STDOUT_FILENO) == 1, let code = QRCode.lines(setup.text(scheme: "overland")) {
        Output.result(code.map { "  \($0)\n" }.joined() + "  Scan it with the phone's camera.\n")
      }
      Output.log("The token is shown once. If it is lost, add the device again for a new one.")
    }
  }
}

/// `godwit device list`
struct DeviceList: StoreCommand {
  static let name = "list"
  static let abstract = "List devices with their state."
  static let examples = [(line: "godwit device list", purpose: "As a table")]

  let storeOptions = StoreOptions()
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let devices = try store.devices()
    let missing = try store.journals(device: nil).missingByDevice()
    func time(_ date: Date?) -> String { date.map { $0.formattedUTC } ?? "-" }
    if json {
      let list = devices.map { summary -> [String: Any] in
        [
          "name": summary.device.name, "points": summary.points, "first": summary.first?.formattedUTC ?? NSNull(),
          "last": summary.last?.fix.time.formattedUTC ?? NSNull(),
          "last_contact": summary.lastContact?.formattedUTC ?? NSNull(), "rejected": summary.rejected,
          "missing": missing[summary.device.id] ?? 0,
          "tokens": summary.tokens,
        ]
      }
      Output.result(Array(try JSONSerialization.data(withJSONObject: list, options: [.sortedKeys])) + [0x0A])
      return
    }
    if devices.isEmpty { Output.log("There are no devices yet. `godwit device add NAME` creates one.") }
    var rows = [["NAME", "POINTS", "FIRST", "LAST", "LAST CONTACT", "REJECTED", "MISSING", "TOKENS"]]
    for summary in devices {
      rows.append([
        summary.device.name, String(summary.points), time(summary.first), time(summary.last?.fix.time),
        time(summary.lastContact), String(summary.rejected),
        String(missing[summary.device.id] ?? 0), String(summary.tokens),
      ])
    }
    if rows.count > 1 { Output.result(TextTable.text(rows)) }
  }
}

/// `godwit device revoke`
struct DeviceRevoke: StoreCommand {
  static let name = "revoke"
  static let abstract = "Revoke all tokens of a device. Its points stay."
  static let examples = [(line: "godwit device revoke phone", purpose: "A lost phone")]

  @Operands("NAME", 1...1, "The device's name")
  var names: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    guard let count = try store.revokeTokens(ofDeviceNamed: names[0], at: Date()) else {
      throw Failure("No device is called \"\(names[0])\". `godwit device list` shows all devices.")
    }
    Output.log("\(count.counted("token")) of \(names[0]) will be rejected from now on.")
  }
}

/// `godwit device topics`
struct DeviceTopicsShow: StoreCommand {
  static let name = "topics"
  static let abstract = "List and assign topics of an MQTT broker."
  static let discussion = """
    A server with --mqtt assigns messages under owntracks/USER/DEVICE to the device USER-DEVICE, or else DEVICE, and stores messages of unassigned topics until they are assigned. Works beside a running server, which applies it within seconds.
    """
  static let examples = [
    (line: "godwit device topics", purpose: "All topics, and the messages of unassigned ones"),
    (line: "godwit device topics phone --add owntracks/jane/pixel", purpose: "Assign a topic to a device"),
  ]

  @Operands("NAME", 0...1, "The device's name; all devices without it")
  var names: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("add", "TOPIC", "Topic to assign")
  var added: String?
  @OptionalOption("remove", "TOPIC", "Topic to remove")
  var removed: String?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    for topic in [added, removed].compactMap(\.self) where !DeviceTopics.isTopic(topic) {
      throw UsageError("\"\(topic)\" is not a topic of a device; expected owntracks/USER/DEVICE, three parts at least")
    }
    if names.isEmpty, added != nil || removed != nil { throw UsageError("--add and --remove need the NAME of a device") }
    let store = try openStore()
    defer { store.close() }
    if let name = names.first {
      if let added { try await DeviceTopics.bind(added, device: name, in: store) }
      if let removed, try await !DeviceTopics.unbind(removed, device: name, in: store) {
        throw Failure("\(removed) is not a topic of \(name). `godwit device topics` shows its topics.")
      }
    }
    try show(
      DeviceTopics.lines(device: names.first, in: store), names.isEmpty ? DeviceTopics.waiting(in: store) : [])
  }

  private func show(_ lines: [DeviceTopics.Line], _ waiting: [DeviceTopics.Waiting]) throws {
    if json {
      let topics = lines.map { ["topic": $0.topic, "device": $0.device, "source": $0.source, "since": $0.since.formattedUTC] }
      let unassignedTopics = waiting.map {
        ["topic": $0.topic, "messages": $0.messages, "first": $0.first.formattedUTC, "last": $0.last.formattedUTC]
          as [String: Any]
      }
      let object: [String: Any] = ["topics": topics, "waiting": unassignedTopics]
      let text = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
      Output.result(Array(text) + [0x0A])
      return
    }
    if lines.isEmpty { Output.log("No topic is \(names.first.map { "\($0)'s" } ?? "a device's") yet.") }
    var rows = [["TOPIC", "DEVICE", "SOURCE", "SINCE"]]
    for line in lines { rows.append([line.topic, line.device, line.source, line.since.formattedUTC]) }
    for line in waiting {
      let messages = line.messages.counted("message is stored", "messages are stored")
      rows.append([line.topic, "-", messages, line.first.formattedUTC])
    }
    if rows.count > 1 { Output.result(TextTable.text(rows)) }
  }
}

/// `godwit device rename`
struct DeviceRename: StoreCommand {
  static let name = "rename"
  static let abstract = "Give a device another name."
  static let discussion = """
    Tokens, settings, share links, rules, regions and events of the device follow. Apps keep their tokens: the name that an app
    sends makes no difference.
    """
  static let examples = [(line: "godwit device rename phone anna-phone", purpose: "Another name")]

  @Operands("NAME NEW-NAME", 2...2, "The device's name, and the new name")
  var names: [String]
  let storeOptions = StoreOptions()

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    try Deletions(store, folder: nil).rename(names[0], to: names[1], at: Date())
    Output.log("\(names[0]) is \(names[1]) now.")
  }
}

/// `godwit device merge`
struct DeviceMerge: DeletingCommand {
  static let name = "merge"
  static let abstract = "Merge a device into another one, which gets its points, events and tokens."
  static let discussion = """
    Apps of the merged device keep their tokens and send to the other device. Settings, rules and share links of the merged
    device end. `godwit trash undo` divides the two again for a week.
    """
  static let examples = [(line: "godwit device merge old-phone phone", purpose: "Merge the history of two phones")]

  @Operands("NAME INTO", 2...2, "The device that is merged, and the one that stays")
  var names: [String]
  var options = ChangeOptions()
  var isPermanent: Bool { false }

  func run() async throws {
    let store = try openStore()
    defer { store.close() }
    let deletions = Deletions(store, folder: nil)
    let subject = Deletions.Subject.merge(names[0], into: names[1])
    var counts = try deletions.dry(subject)
    var entry: TrashEntry?
    if !options.isDry {
      if !options.yes {
        try Prompt.confirm("Merge \(names[0]) into \(names[1])? That is \(counts.text).", option: "--yes")
      }
      (counts, entry) = try deletions.delete(subject, isPermanent: false, at: Date())
    }
    report(counts, options.isDry ? "Would be merged" : "Merged into \(names[1])", entry)
  }
}

/// `godwit device delete`
struct DeviceDelete: DeletingCommand {
  static let name = "delete"
  static let abstract = "Delete a device with all its data, as `godwit delete device` does."
  static let examples = [(line: "godwit device delete old-phone --dry-run", purpose: "Count without deleting")]

  @Operands("NAME", 1...1, "The device's name")
  var names: [String]
  var options = ChangeOptions()
  @Flag("permanent", "Delete for good at once, without the trash")
  var isPermanent: Bool

  func run() async throws { try delete(.device(names[0]), "the device \(names[0])") }
}

/// `godwit device owntracks`
struct DeviceOwnTracks: StoreCommand {
  static let name = "owntracks"
  static let abstract = "Set the encryption key of an OwnTracks app, and whether it must use it."
  static let discussion = """
    The key is the one in the app's settings. Without --sealed-only the server also accepts plain messages. Works beside a running
    server, which applies it within a second.
    """
  static let examples = [
    (line: "godwit device owntracks phone", purpose: "Show whether there is a key, and whether it must be used"),
    (line: "godwit device owntracks phone --key-file key --sealed-only", purpose: "Accept only messages with this key"),
    (line: "godwit device owntracks phone --allow-plain", purpose: "Accept plain messages again"),
  ]

  @Operands("NAME", 1...1, "The device's name")
  var names: [String]
  let storeOptions = StoreOptions()
  @OptionalOption("key-file", "FILE", "Set the key in the first line of a file")
  var keyFile: String?
  @Flag("remove-key", "Remove the key; plain messages are accepted again")
  var removesKey: Bool
  @Flag("sealed-only", "Reject plain messages")
  var isSealedOnly: Bool
  @Flag("allow-plain", "Accept plain messages too")
  var allowsPlain: Bool

  func run() async throws {
    if isSealedOnly, allowsPlain || removesKey { throw UsageError("--sealed-only excludes --allow-plain and --remove-key") }
    if keyFile != nil, removesKey { throw UsageError("--key-file and --remove-key exclude each other") }
    let key = try keyFile.map { try Self.key(in: $0) }
    let store = try openStore()
    defer { store.close() }
    let name = names[0]
    guard let device = try store.device(named: name) else {
      throw Failure("No device is called \"\(name)\". `godwit device list` shows all devices.")
    }
    let (sealedOnly, removesKey): (Bool?, Bool) = (isSealedOnly ? true : allowsPlain ? false : nil, removesKey)
    let isDone = try await store.write { db -> Bool in
      if let key { try AppTables.set(key: key, of: device.id, db) }
      if removesKey { try AppTables.set(key: nil, of: device.id, db) }
      return try sealedOnly.map { try AppTables.set(sealedOnly: $0, of: device.id, db) } ?? true
    }
    guard isDone else {
      throw Failure("\(name) has no key, so that every message would be rejected. Set one with --key-file.")
    }
    let state = try store.read { try AppTables.configuration(of: device.id, $0) }
    Output.result(
      "\(name): \(state.key == nil ? "no key" : "a key is set"), \(state.isSealedOnly ? "plain messages are rejected" : "plain messages are accepted").\n"
    )
  }

  /// Reads the key from the first line of a file.
  private static func key(in path: String) throws -> String {
    guard let text = try? String(contentsOfFile: path, encoding: .utf8), let line = text.split(whereSeparator: \.isNewline).first,
      (1...255).contains(line.utf8.count)
    else { throw Failure("--key-file: \(path) cannot be read, or its first line has not 1 to 255 bytes.") }
    return String(line)
  }
}
