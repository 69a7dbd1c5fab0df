internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitModel

/// `godwit setup`
struct Setup: Command {
  static let name = "setup"
  static let abstract = "Set up this machine's tracker from a link: overland://setup?… or godwit://setup?…"
  static let discussion = """
    `godwit device add NAME` prints the link, also as a QR code. The changes are shown before anything is written, because
    anyone can send a link. A link may have Overland's url, token, device_id and unique_id, a format, and any setting by its
    name. Afterwards `godwit track --source …` needs no other options.
    """
  static let examples = [
    (
      line: "godwit setup 'godwit://setup?url=https%3A%2F%2Fexample.org%2Fapi%2Foverland&token=TOKEN&device_id=pi'",
      purpose: "Show the changes and ask for confirmation"
    )
  ]

  static let configured = [ConfiguredOptions.only(["tracker-file"], of: Track.name)]

  @Operands("LINK", 1...1, "The set-up link, in quotes")
  var links: [String]
  @Option(
    "tracker-file", "FILE", default: TrackerFile.standard, shown: DataFolder.shown(file: "tracker.json"),
    "File of godwit track: endpoints and settings")
  var trackerFile: String
  @Flag("add", "Add this endpoint, instead of replacing the existing one")
  var adds: Bool
  @Flag("yes", "Skip the confirmation")
  var isSure: Bool

  func run() async throws {
    let link: SetupLink
    do { link = try SetupLink(link: links[0]) } catch { throw Failure("\(error)") }
    let isNew = !FileManager.default.fileExists(atPath: trackerFile)
    let before = isNew ? nil : try TrackerFile(path: trackerFile)
    var object = isNew ? [:] : try JSONMembers(file: trackerFile).all

    var differences = try link.changes(of: before?.settings ?? Settings()).map(\.description)
    if !link.settings.isEmpty {
      var settings = object["settings"] as? [String: Any] ?? [:]
      for setting in link.settings { settings[setting.name] = setting.value.json }
      object["settings"] = settings
    }
    if let address = link.address {
      let endpoints = object["endpoints"] as? [[String: Any]] ?? []
      let (changed, words) = try Self.endpoints(endpoints, with: link, at: address, adds: adds)
      object["endpoints"] = changed
      differences += words
    }
    guard !differences.isEmpty else { return Output.log("\(trackerFile) has these settings already; nothing was changed.") }
    Output.log("This changes \(trackerFile):")
    for difference in differences { Output.log("  \(difference)") }
    if let problem = link.exposureProblem { Output.log("  Warning: \(problem)") }
    if !isSure { try Prompt.confirm("Apply?", option: "--yes") }
    try Self.write(object, to: trackerFile)
    Output.log("Saved. Next: \(Program.current.name) track --source gpsd://127.0.0.1:2947")
  }

  private static func endpoints(
    _ endpoints: [[String: Any]], with link: SetupLink, at address: String, adds: Bool
  ) throws -> ([[String: Any]], [String]) {
    var endpoints = endpoints
    func shown(_ url: String) -> String { EndpointReader.identifier(of: url) }
    var new: [String: Any] = ["url": address]
    if let token = link.token { new["token"] = token }
    if let format = link.format, format != "overland" { new["format"] = format }
    if let index = endpoints.firstIndex(where: { $0["url"] as? String == address }) {
      // The endpoint exists already: its other members are kept.
      var words: [String] = []
      if endpoints[index]["token"] as? String != link.token {
        words.append("endpoint \(shown(address)): " + (link.token == nil ? "no token" : "a new token"))
      }
      let formats = (endpoints[index]["format"] as? String ?? "overland", link.format ?? "overland")
      if formats.0 != formats.1 { words.append("endpoint \(shown(address)): format \(formats.0) → \(formats.1)") }
      if link.token != nil { endpoints[index]["token_file"] = nil }
      endpoints[index].merge(new) { $1 }
      if link.token == nil { endpoints[index]["token"] = nil }
      if formats.1 == "overland" { endpoints[index]["format"] = nil }
      return (endpoints, words)
    }
    let token = link.token == nil ? "no token" : "a token"
    let description = "\(shown(address)) (\(link.format ?? "overland"), \(token))"
    if adds || endpoints.isEmpty { return (endpoints + [new], ["endpoint: \(description)"]) }
    guard endpoints.count == 1, let old = endpoints[0]["url"] as? String else {
      throw Failure("There are \(endpoints.count) endpoints; give --add to add another one, or edit the file.")
    }
    return ([new], ["endpoint: \(shown(old)) → \(description)"])
  }

  /// Writes the file atomically, readable only by its owner, because it contains tokens.
  private static func write(_ object: [String: Any], to path: String) throws {
    let data = try JSONSerialization.data(
      withJSONObject: object, options: [.sortedKeys, .prettyPrinted, .withoutEscapingSlashes])
    try DataFolder.make(DataFolder.of(file: path))
    let new = path + ".new"
    try? FileManager.default.removeItem(atPath: new)
    guard
      FileManager.default.createFile(
        atPath: new, contents: data + [0x0A], attributes: [.posixPermissions: 0o600]), rename(new, path) == 0
    else { throw Failure("\(path) cannot be written: \(String(cString: strerror(errno))).") }
  }
}

extension SettingValue {
  /// The value as Foundation's JSON types.
  fileprivate var json: Any {
    switch self {
    case .text(let text), .other(let text): text
    case .number(let number): number
    case .flag(let flag): flag
    case .list(let list): list
    }
  }
}
