internal import Foundation
internal import GodwitServer

/// `godwit device topics`
struct DeviceTopicsShow: StoreCommand {
  static let name = "topics"
  static let abstract = "Show and say which topics of an MQTT broker are whose."
  static let discussion = """
    A server with --mqtt takes what OwnTracks publishes under owntracks/USER/DEVICE for the device USER-DEVICE, or else DEVICE, and
    keeps what is nobody's until it is somebody's. Works beside a running server, which knows of it within seconds.
    """
  static let examples = [
    (line: "godwit device topics", purpose: "All topics, and what waits for a device"),
    (line: "godwit device topics phone --add owntracks/jane/pixel", purpose: "From now on that is the phone"),
  ]

  @Operands("NAME", 0...1, "The device's name; all devices without it")
  var names: [String]
  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "Folder of the database")
  var data: String
  @OptionalOption("store", "URL", StoreVariable.help)
  var store: StoreLocation?
  @OptionalOption("add", "TOPIC", "A topic that is the device's from now on")
  var added: String?
  @OptionalOption("remove", "TOPIC", "A topic that is the device's no longer")
  var removed: String?
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    for topic in [added, removed].compactMap(\.self) where !DeviceTopics.isTopic(topic) {
      throw UsageError("\"\(topic)\" is no topic of a device; expected owntracks/USER/DEVICE, three parts at least")
    }
    if names.isEmpty, added != nil || removed != nil { throw UsageError("--add and --remove need the NAME of a device") }
    let store = try openStore()
    defer { store.close() }
    if let name = names.first {
      if let added { try await DeviceTopics.bind(added, device: name, in: store) }
      if let removed, try await !DeviceTopics.unbind(removed, device: name, in: store) {
        throw Failure("\(removed) is no topic of \(name). `godwit device topics` shows those that are.")
      }
    }
    try show(
      DeviceTopics.lines(device: names.first, in: store), names.isEmpty ? DeviceTopics.waiting(in: store) : [])
  }

  private func show(_ lines: [DeviceTopics.Line], _ waiting: [DeviceTopics.Waiting]) throws {
    if json {
      let topics = lines.map { ["topic": $0.topic, "device": $0.device, "bound": $0.bound, "since": $0.since.formattedUTC] }
      let strangers = waiting.map {
        ["topic": $0.topic, "messages": $0.messages, "first": $0.first.formattedUTC, "last": $0.last.formattedUTC]
          as [String: Any]
      }
      let object: [String: Any] = ["topics": topics, "waiting": strangers]
      let text = try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])
      Output.result(Array(text) + [0x0A])
      return
    }
    if lines.isEmpty { Output.note("No topic is \(names.first.map { "\($0)'s" } ?? "a device's") yet.") }
    var rows = [["TOPIC", "DEVICE", "BOUND", "SINCE"]]
    for line in lines { rows.append([line.topic, line.device, line.bound, line.since.formattedUTC]) }
    for line in waiting { rows.append([line.topic, "-", "\(line.messages) messages wait", line.first.formattedUTC]) }
    if rows.count > 1 { Output.result(TextTable.text(rows)) }
  }
}
