internal import Foundation
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitCommandLine
internal import GodwitHTTP
internal import GodwitIntake
internal import GodwitModel
internal import GodwitServer
internal import GodwitStore

/// `godwit serve`
struct Serve: StoreCommand {
  static let name = "serve"
  static let abstract = "Receive, store and show the location of your devices."
  static let discussion = """
    Receives records of Overland, OwnTracks, Traccar Client, GPSLogger and others, stores them in one SQLite file or in
    PostgreSQL, and shows them on a map in the browser. By default it listens only on this machine. Reading needs
    a login everywhere: `godwit login` prints a link that opens the map; on a terminal the server prints one itself.
    Ctrl-C or SIGTERM stops it; received data is stored first.

    Each option may also be in a configuration file, or in a variable of the environment: GODWIT_TLS_KEY for --tls-key. The
    command line overrides the environment, and the environment overrides the file. `godwit config example` prints a file.
    """
  static let examples = [
    (line: "godwit serve", purpose: "On this machine, with the standard data folder"),
    (
      line: "godwit serve --listen 0.0.0.0:8080 --data /var/lib/godwit",
      purpose: "For the whole network; without TLS its secrets can be read in transit"
    ),
    (
      line:
        "godwit serve --tiles 'https://tile.openstreetmap.org/{z}/{x}/{y}.png' --tiles-attribution '© OpenStreetMap contributors'",
      purpose: "With map tiles of another server"
    ),
    (line: "godwit serve --basemap slovenia.pmtiles", purpose: "With streets from a file"),
    (
      line: "godwit serve --mqtt mqtts://godwit@broker.example.org --mqtt-password-file /etc/godwit/mqtt-password",
      purpose: "With OwnTracks over an MQTT broker"
    ),
    (
      line: "godwit serve --mirror https://copy.example.org --mirror-token-file /etc/godwit/mirror-token",
      purpose: "With a copy of everything on another machine"
    ),
  ]

  static let configured = [ConfiguredOptions.all(of: name)]

  @Option(
    "listen", "ADDRESS:PORT", default: .server, shown: "127.0.0.1:8080",
    "Address to listen on; port 0 lets the system choose one")
  var listen: ListenAddress
  let storeOptions = StoreOptions()
  @OptionalOption(
    "tiles", "URL",
    "URL of map images of another server, with {z}, {x} and {y}; without it pages request nothing from other servers")
  var tiles: String?
  @Option("tiles-attribution", "TEXT", default: "", shown: "none", "Attribution of the map tiles")
  var tilesAttribution: String
  @OptionalOption(
    "basemap", "FILE",
    "Base map with streets, a PMTiles file (default: a file *.pmtiles in the data folder; without one the built-in world)")
  var basemap: String?
  @OptionalOption(
    "roads", "FILE",
    "Roads for the lines and distances of trips, a file of godwit roads; none disables (default: a file *.roads in the data folder)"
  )
  var roads: String?
  @Option(
    "seal-after", "DAYS", default: .after(3), shown: "3",
    "Days after which points are compressed into blocks, which take a tenth of the space; never keeps them as rows")
  var sealAfter: SealingAge
  @OptionalOption(
    "geocoder", "URL", "URL of a Nominatim server for addresses of places; it receives their positions (default: none)")
  var geocoder: String?
  @OptionalOption(
    "maplibre", "DIR",
    "Folder with MapLibre GL JS \(MapLibrary.version), which draws the maps (default: where scripts/maplibre puts it)")
  var mapLibrary: String?

  @OptionalOption(
    "network-address", "ADDRESS",
    "IPv4 address of this machine for the phones of its network (default: the one of its private network)")
  var networkAddress: String?

  @Option(
    "upload-limit", "N", default: RateLimits().uploads.perMinute, shown: "6000", "Requests per minute of a device; 0: no limit")
  var uploadLimit: Int
  @Option(
    "request-limit", "N", default: RateLimits().requests.perMinute, shown: "1200",
    "Requests per minute of a user or a token; 0: no limit")
  var requestLimit: Int
  @Option(
    "anonymous-limit", "N", default: RateLimits().anonymous.perMinute, shown: "600",
    "Requests per minute of an anonymous client; 0: no limit")
  var anonymousLimit: Int

  @Option(
    "client-connections", "N", default: ShareLimits().connections, shown: "256",
    "Connections of one client network (an IPv4 address or an IPv6 /64) at the same time; 0: no limit")
  var clientConnections: Int

  @OptionalOption("mqtt", "URL", "An MQTT broker that OwnTracks publishes to: \(BrokerAddress.shown)")
  var mqtt: BrokerAddress?
  @OptionalOption("mqtt-password-file", "FILE", "The broker's password, in the first line (default: $\(BrokerPassword.variable))")
  var mqttPasswordFile: String?
  @ManyOptions("mqtt-topic", "TOPIC", "Topics of devices, + for any name; may be repeated (default: owntracks/+/+)")
  var mqttTopics: [MQTTTopicFilter]
  @OptionalOption("mqtt-client-id", "NAME", "MQTT client identifier (default: random, stored in the data folder)")
  var mqttClientID: String?
  @Flag("mqtt-auto-create", "Create a device for each new topic")
  var mqttMakesDevices: Bool
  @OptionalOption("mirror", "URL", "Another Godwit server that gets a copy of all records and of deletions; none ends it")
  var mirror: String?
  @OptionalOption(
    "mirror-token-file", "FILE",
    "The mirror's token with the scope admin, in the first line (default: $\(MirrorArguments.variable))")
  var mirrorTokenFile: String?
  @Flag("mirror-adopt", "Turn devices of the same name at the mirror into copies of this server's devices")
  var adoptsMirror: Bool
  @ManyOptions(
    "trust-proxy", "ADDRESS",
    "Trusted proxies (address or range); none disables (default: this machine)"
  )
  var proxies: [String]
  @OptionalOption(
    "identity-header", "NAME",
    "Header in which a trusted proxy names the signed-in user, such as Remote-User; needs --trust-proxy")
  var identityHeader: String?
  @Flag("identity-create", "Create a member for each unknown user that the proxy names")
  var createsIdentities: Bool
  @OptionalOption("openid-issuer", "URL", "OpenID provider whose users may sign in, such as https://auth.example.org")
  var openIDIssuer: String?
  @OptionalOption("openid-client", "ID", "Name of this server at the OpenID provider")
  var openIDClient: String?
  @OptionalOption(
    "openid-secret-file", "FILE", "Secret of this server at the OpenID provider, in the first line (default: a public client)")
  var openIDSecretFile: String?
  @Option(
    "openid-claim", "NAME", default: "preferred_username", shown: "preferred_username",
    "Claim that names the user: preferred_username, email, sub or another one")
  var openIDClaim: String
  @Flag("openid-create", "Create a member for each unknown user that the OpenID provider names")
  var createsOpenIDUsers: Bool
  @ManyOptions(
    "cors", "ORIGIN",
    "Origins whose pages may read with a token, such as https://example.org, or * for all; may be repeated (default: none)")
  var origins: [String]
  @OptionalOption("tls-certificate", "FILE", "TLS certificate chain as PEM; reloaded when it changes")
  var certificate: String?
  @OptionalOption("tls-key", "FILE", "Its private key as PEM, without a password")
  var key: String?
  @Flag("no-hsts", "Omit Strict-Transport-Security")
  var withoutHSTS: Bool
  @Option("log", "FORMAT", default: .text, shown: "text", "Format of the log on standard error: text, json, off")
  var log: RequestLog.Format
  @Option(
    "log-level", "LEVEL", default: .error, shown: "error",
    "Requests in the log: info (all), warning (including rejected ones), error")
  var logLevel: RequestLog.Level

  func validate() throws { _ = try configuration() }

  private func configuration() throws -> Server.Configuration {
    var configuration = Server.Configuration(listen: listen, dataFolder: data)
    configuration.tiles = tiles.map { MapTiles(url: $0, attribution: tilesAttribution) }
    configuration.basemap = basemap
    configuration.roads = roads
    configuration.sealAfterDays = sealAfter.days
    configuration.geocoder = try geocoder.map { text in
      let parts = URLComponents(string: text)
      guard let parts, ["http", "https"].contains(parts.scheme), parts.host?.isEmpty == false, parts.query == nil else {
        throw UsageError("--geocoder is \(text); expected an address such as https://nominatim.example.org")
      }
      return text.hasSuffix("/") ? String(text.dropLast()) : text
    }
    configuration.mapLibraryFolder = mapLibrary
    for (name, limit) in [
      ("upload-limit", uploadLimit), ("request-limit", requestLimit), ("anonymous-limit", anonymousLimit),
    ] where limit < 0 {
      throw UsageError("--\(name) is \(limit); expected requests per minute, or 0 for no limit")
    }
    guard clientConnections >= 0 else {
      throw UsageError("--client-connections is \(clientConnections); expected a number of connections, or 0 for no limit")
    }
    configuration.shares.connections = clientConnections
    configuration.rateLimits.uploads = RateLimit(perMinute: uploadLimit)
    configuration.rateLimits.requests = RateLimit(perMinute: requestLimit)
    configuration.rateLimits.anonymous = RateLimit(perMinute: anonymousLimit)
    configuration.mqtt = try mqttConfiguration()
    configuration.endsMirror = mirror == MirrorArguments.none
    configuration.mirror = try MirrorArguments.options(mirror, tokenFile: mirrorTokenFile, adopts: adoptsMirror)
    if !proxies.isEmpty {
      configuration.trustedProxies = TrustedProxies(
        try proxies.filter { $0 != "none" }.map { text throws(UsageError) in
          guard let range = AddressRange(text) else {
            throw UsageError("--trust-proxy \(text) is not a valid address; write 192.0.2.7, 10.0.0.0/8, fd00::/8, or none")
          }
          return range
        })
    }
    configuration.identityHeader = try identity()
    configuration.openID = try openID()
    if let other = origins.first(where: { !Server.isOrigin($0) }) {
      throw UsageError("--cors \(other) is not an origin; write https://example.org, without a path, or *")
    }
    configuration.allowedOrigins = origins
    configuration.log = RequestLog(format: log, level: logLevel)
    switch (certificate, key) {
    case (let certificate?, let key?): configuration.tls = TLSFiles(certificate: certificate, key: key)
    case (nil, nil): break
    default: throw UsageError("--tls-certificate and --tls-key belong together; give both, or none for HTTP without TLS")
    }
    if let networkAddress {
      guard let address = ListenAddress("\(networkAddress):0"), !networkAddress.contains(":"), !address.isAny else {
        throw UsageError("--network-address is \(networkAddress); expected an IPv4 address such as 192.168.1.5")
      }
      configuration.networkAddresses = { [networkAddress] }
    }
    configuration.keepsToTLS = !withoutHSTS
    configuration.notices = { Output.log($0) }
    configuration.store = storeLocation
    return configuration
  }

  func run() async throws {
    Server.limitMallocArenas()
    DescriptorLimit.raise()
    let configuration = try configuration()
    let place = storeLocation
    // Several servers can share a PostgreSQL database, but with SQLite both would send each webhook.
    if case .folder(let folder) = place, let address = AdministratorLogin(dataFolder: folder).currentAddress {
      throw Failure("a server already uses \(folder): \(address). Stop it first, or name another folder with --data")
    }
    let server = try Server(configuration: configuration)
    let (service, host, folder) = (ServiceNotifier(), listen.host, data)
    let isOpenToOthers = !listen.isLoopback && certificate == nil
    try await Signals.cancelling {
      // The watchdog restarts the server if a query hangs in the store. An unreachable database is no reason for a restart.
      let watching = Task { await service.watch { await server.healthCheck() } }
      defer { watching.cancel() }
      try await withTaskCancellationHandler {
        try await server.run { port in
          service.ready("Listens at \(host), port \(port)")
          Output.log("godwit \(Version.current) listens; the map: \(server.pageAddress(port: port))")
          LoginLink.announce(LoginLink.command(data: folder)) { try server.loginAddress(port: port) }
          if isOpenToOthers {
            Output.log(
              "Without TLS tokens and positions can be read in transit. Give --tls-certificate and --tls-key, or listen on 127.0.0.1 behind a proxy with TLS."
            )
          }
          let option = if case .folder = place { "--data" } else { "--store" }
          Output.log("Data: \(place). Devices: godwit device add NAME \(option) \(place)")
        }
      } onCancel: {
        service.stopping()
      }
    }
    Output.log("Stopped; all records are stored.")
  }

  /// The list of proxies must be explicit. Otherwise each process on this machine could set the name of a user.
  private func identity() throws(UsageError) -> IdentityHeader? {
    guard let name = identityHeader else {
      if createsIdentities { throw UsageError("--identity-create needs --identity-header with the name of the header") }
      return nil
    }
    guard proxies.contains(where: { $0 != "none" }) else {
      throw UsageError("--identity-header needs --trust-proxy with the addresses of the trusted proxies")
    }
    guard var header = IdentityHeader(name) else {
      throw UsageError("--identity-header \(name) is not a valid header name; write one such as Remote-User")
    }
    header.createsUsers = createsIdentities
    return header
  }

  private func openID() throws(UsageError) -> OpenIDConfiguration? {
    guard let issuer = openIDIssuer else {
      guard openIDClient == nil, openIDSecretFile == nil, openIDClaim == "preferred_username", !createsOpenIDUsers else {
        throw UsageError("the options for OpenID need --openid-issuer with the address of the provider")
      }
      return nil
    }
    guard let client = openIDClient else {
      throw UsageError("--openid-issuer needs --openid-client with the name of this server at the provider")
    }
    guard var configuration = OpenIDConfiguration(issuer: issuer, client: client) else {
      throw UsageError(
        "--openid-issuer \(issuer) is not valid; write an address with https and without a query, as the provider names itself")
    }
    if let file = openIDSecretFile {
      let text = try? String(contentsOfFile: file, encoding: .utf8)
      guard let line = text?.split(whereSeparator: \.isNewline).first, !line.isEmpty else {
        throw UsageError("--openid-secret-file: \(file) cannot be read, or its first line is empty")
      }
      configuration.secret = String(line)
    }
    guard !openIDClaim.isEmpty else { throw UsageError("--openid-claim is empty; write the name of a claim such as email") }
    configuration.claim = openIDClaim
    configuration.createsUsers = createsOpenIDUsers
    return configuration
  }

  private func mqttConfiguration() throws -> MQTTConfiguration? {
    guard let mqtt else {
      guard mqttPasswordFile == nil, mqttTopics.isEmpty, mqttClientID == nil, !mqttMakesDevices else {
        throw UsageError("the options for MQTT need --mqtt with the address of the broker")
      }
      return nil
    }
    var configuration = MQTTConfiguration(
      broker: try BrokerPassword.completed(mqtt, file: mqttPasswordFile), note: { Output.log($0) })
    if !mqttTopics.isEmpty { configuration.topics = mqttTopics }
    configuration.clientID = mqttClientID
    configuration.makesDevices = mqttMakesDevices
    return configuration
  }
}
