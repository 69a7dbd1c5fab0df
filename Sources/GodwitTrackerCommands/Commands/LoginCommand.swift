internal import Foundation
internal import GodwitCommandLine
internal import GodwitSecrets

/// `godwit login`
struct LoginCommand: Command {
  static let name = "login"
  static let abstract = "Print a link that opens the map, or a tracker's panel, in a browser."
  static let discussion = """
    The link has a one-time code: it works once, within ten minutes, and begins an administrator's session. Run the command on
    the machine of the running server, as a system user that can write the server's data folder; in a container, by
    docker exec. Treat the link as a password.
    """
  static let examples = [
    (line: "godwit login", purpose: "For the server of the standard data folder"),
    (line: "godwit login --data /var/lib/godwit --url https://track.example.org", purpose: "For a server behind a proxy"),
    (line: "godwit login --panel", purpose: "For the panel of the tracker on this machine"),
  ]

  static let configured = [ConfiguredOptions.only(["data"], of: "serve"), .only(["journal"], of: Track.name)]

  @Option("data", "DIR", default: DataFolder.standard, shown: DataFolder.shown, "The server's data folder")
  var data: String
  @OptionalOption("url", "URL", "The server's address in the browser (default: the address where it listens)")
  var url: String?
  @Flag("panel", "For the panel of a tracker instead")
  var panel: Bool
  @Option(
    "journal", "FILE", default: DataFolder.journal, shown: DataFolder.shown(file: "tracker.journal"),
    "With --panel: the tracker's journal")
  var journal: String
  @Flag("json", "Print JSON")
  var json: Bool

  func run() async throws {
    let login = panel ? PanelAccess.login(journal: journal) : AdministratorLogin(dataFolder: data)
    let folder = panel ? DataFolder.of(file: journal) : data
    var isFolder: ObjCBool = false
    guard FileManager.default.fileExists(atPath: folder, isDirectory: &isFolder), isFolder.boolValue else {
      throw Failure("\(folder): there is no such folder. Give the folder of the \(panel ? "tracker" : "server") with \(option).")
    }
    let address = try address(of: login)
    let now = Date()
    let link = try login.link(to: address, at: now)
    if json {
      let ends = now.addingTimeInterval(LoginCodes.lifetime)
      let object = ["url": link, "expires": ends.formattedUTC]
      Output.result(
        Array(try JSONSerialization.data(withJSONObject: object, options: [.sortedKeys, .withoutEscapingSlashes])) + [0x0A])
      return
    }
    Output.result(link + "\n")
    Output.log("It works once, for ten minutes. Treat it as a password.")
    LoginLink.showCode(of: link)
  }

  private var option: String { panel ? "--journal" : "--data" }

  private func address(of login: AdministratorLogin) throws -> String {
    if let url {
      let parts = URLComponents(string: url)
      guard let parts, ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false, parts.query == nil,
        parts.fragment == nil
      else { throw UsageError("--url \"\(url)\" is not a valid address; write http://HOST:PORT or https://HOST") }
      return url
    }
    if let address = login.currentAddress { return address }
    throw Failure(
      panel
        ? "No panel runs beside \(journal). Start one with godwit track --panel 127.0.0.1:8081, or give the journal with --journal."
        : "No server runs on the data folder \(data). Start one with godwit serve, give its folder with --data, or its address with --url."
    )
  }
}
