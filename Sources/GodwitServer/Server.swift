internal import Foundation
public import GodwitAccess
internal import GodwitAccounts
internal import GodwitDeletion
internal import GodwitGeofencing
public import GodwitHTTP
internal import GodwitHistory
public import GodwitIntake
internal import GodwitModel
internal import GodwitSecrets
public import GodwitStore
internal import GodwitTransfer
internal import GodwitWire
internal import Synchronization

/// The server: receives, stores and shows what devices send.
///
///     let server = try Server(configuration: .init(listen: address, dataFolder: "/var/lib/godwit"))
///     try await server.run { port in print("http://127.0.0.1:\(port)/") }
///
/// `run` ends when its task is cancelled: it accepts no new connections, stores and answers pending requests, and
/// closes the database.
public final class Server: Sendable {
  public struct Configuration: Sendable {
    public var listen: ListenAddress
    /// Folder of the administrator's token, and of the database if ``store`` is `nil`; created if it does not exist.
    public var dataFolder: String
    /// Location of the database; `nil`: ``dataFolder``.
    public var store: StoreLocation?
    /// Map tiles of the page; `nil` draws a graticule and contacts no other server.
    public var tiles: MapTiles?
    /// URL of a Nominatim server for the addresses of visits; `nil`: no geocoding.
    public var geocoder: String?
    /// Folder with `leaflet.js`; `nil` searches the usual system folders.
    public var leafletFolder: String?
    /// Threads that read requests and decode bodies.
    public var threads = 2
    /// Maximum bytes of a request body, after decompression.
    public var maximumBody = 16 << 20
    /// Maximum bytes of an imported file.
    public var maximumUpload = 64 << 30
    /// Seconds without a byte after which a connection is closed.
    public var idleTimeout: UInt32 = 30
    /// Rate limits by kind of client.
    public var rateLimits = RateLimits()
    /// Limits on what one client may occupy at the same time.
    public var shares = ShareLimits()
    /// The broker to which OwnTracks apps publish; `nil`: none.
    public var mqtt: MQTTConfiguration?
    /// Proxies that are trusted to name the client of a request.
    public var trustedProxies = TrustedProxies.thisMachine
    /// The header in which trusted proxies name the user of a request; `nil`: none.
    public var identityHeader: IdentityHeader?
    /// CORS origins that may read answers with a token, such as `https://example.org`; `*` for all.
    public var allowedOrigins: [String] = []
    /// The log of requests.
    public var log: RequestLog?
    /// Certificate and key, for TLS; `nil`: without.
    public var tls: TLSFiles?
    /// Whether answers over TLS require TLS for a year (`Strict-Transport-Security`, RFC 6797).
    public var keepsToTLS = true
    /// Receives messages about the server itself, such as a renewed certificate.
    public var notices: @Sendable (String) -> Void = { _ in }

    public init(listen: ListenAddress, dataFolder: String) {
      self.listen = listen
      self.dataFolder = dataFolder
    }
  }

  let configuration: Configuration
  /// The server's certificate and key.
  private let identity: TLSIdentity?
  let store: any StoreDatabase
  let owner: OwnerAccess
  /// Reads and writes for requests.
  private let work: RequestWork
  /// Handles requests from their headers to their answers.
  let pipeline: RequestPipeline
  let feed = EventBroadcaster()
  /// Events of other servers of the same database; `nil` with SQLite.
  private let sharedFeed: ClusterEventRelay?
  private let regionChanges: RegionChangeNotifier
  private let friends: OwnTracksFriends
  /// Sends deliveries to their webhooks while the server runs.
  private let sender: WebhookSender
  /// Imports uploaded files.
  let imports: ImportQueue
  /// Turns commits into live events.
  private let eventPublisher: EventPublisher
  /// Sends positions of devices to webhooks.
  private let positions: PositionSender
  /// Detects deletions.
  private let changes = DeletionWatch()
  private let deletion: DeletionRun
  private let watch: StoreWatch
  let audit: AuditLog
  /// The MQTT client, while the server runs, and its dependencies.
  private let mqtt: MQTTClient?
  private let mqttServices: MQTTServices

  /// Opens the store.
  /// - Throws: an error of the file system or the database, which says what to do.
  public init(configuration: Configuration) throws {
    self.configuration = configuration
    identity = try configuration.tls.map { files throws(TLSError) in try TLSIdentity(files) }
    try FileManager.default.createDirectory(
      atPath: configuration.dataFolder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
    let store = try (configuration.store ?? .folder(configuration.dataFolder)).open()
    self.store = store
    let (feed, metrics, webhookMetrics, reading) = (
      feed, Metrics(), WebhookMetrics(), DispatchQueue(label: "godwit.reading", attributes: .concurrent)
    )
    let regions = DatabaseRegionStore(store)
    regionChanges = try RegionChangeNotifier(store: regions, feed: feed, isShared: store.dialect.isShared)
    let sharedFeed = store.dialect.isShared ? ClusterEventRelay(store: store, feed: feed) : nil
    self.sharedFeed = sharedFeed
    let owner = try OwnerAccess(folder: configuration.dataFolder)
    self.owner = owner
    let access = AccessControl(owner: owner, database: store, identityHeader: configuration.identityHeader)
    work = RequestWork(store: store, reading: reading, changed: { access.forget() })
    let tokens = TokenCache { try store.device(tokenHash: $0) ?? access.device(writing: $0) }
    let appConfigurations = AppConfigurationCache { device in try store.read { try AppTables.terms(of: device, $0) } }
    let friends = OwnTracksFriends(store: store)
    self.friends = friends
    let geofenceEvaluator = GeofenceEvaluator(source: StoredRegions(regions))
    // Loads the regions now, so that the first upload does not wait for them.
    try store.read { try geofenceEvaluator.begin([], in: $0) }
    store.addParticipant(geofenceEvaluator)
    let positions = PositionSender(
      transport: HTTPTransport(),
      isShown: { record, device in try store.read { try LivePositionTable.isShown(record, device: device.id, in: $0) } },
      read: { try store.read { try WebhookTables.all($0) } })
    self.positions = positions
    let sender = WebhookSender(store: store, transport: HTTPTransport(), metrics: webhookMetrics) {
      positions.release($0, after: $1)
    }
    self.sender = sender
    mqtt = try configuration.mqtt.map { try MQTTClient($0) }
    let eventPublisher = EventPublisher(feed: feed, shared: sharedFeed, work: work)
    self.eventPublisher = eventPublisher
    let imports = try ImportQueue(store: store, folder: configuration.dataFolder) { name in
      // A device that cannot be read is on no page.
      if let device = try? store.device(named: name) { eventPublisher.announce(historyOf: device) }
    }
    self.imports = imports
    deletion = DeletionRun(database: store, stopImport: { imports.cancel($0) })
    watch = StoreWatch(store)
    audit = AuditLog(store: store)
    let inbox = OwnTracksInbox(
      store: store, reading: reading, appConfigurations: appConfigurations, regions: regions, regionChanges: regionChanges,
      friends: friends)
    mqttServices = MQTTServices(
      store: store, appConfigurations: appConfigurations, inbox: inbox, maximumBody: configuration.maximumBody)
    let limits = ServerLimits(configuration.rateLimits, configuration.shares)
    let assets = Assets(leafletFolder: configuration.leafletFolder)
    let signIn = SignIn(database: store)
    let noticed = NoticedWork(work: work, sender: sender)
    let deviceWork = DeviceWork(work: work, appConfigurations: appConfigurations, mqtt: mqtt)
    let receiving = Receiving(store: store, counters: metrics.intake, maximumBody: configuration.maximumBody)
    let overland = OverlandReceiver(receiving: receiving, appConfigurations: appConfigurations, regionChanges: regionChanges)
    let ownTracks = OwnTracksReceiver(receiving: receiving, inbox: inbox)
    let osmAnd = OsmAndReceiver(receiving: receiving, tokens: tokens, speed: .knots)
    let handlers = RouteHandlers(
      reading: ReadingAPI(
        work: work, access: access, feed: feed, limits: limits, watch: watch, tiles: configuration.tiles),
      overview: OverviewAPI(work: work),
      timeline: TimelineAPI(work: work, eventPublisher: eventPublisher),
      statistics: StatisticsAPI(work: work), places: PlaceAPI(work: work),
      regions: RegionsAPI(work: work, regions: regions, regionChanges: regionChanges),
      regionDevices: RegionDevicesAPI(work: work, regions: regions, regionChanges: regionChanges),
      regionEvents: RegionEventsAPI(work: work),
      webhooks: WebhookAPI(
        work: work, sender: sender, feed: feed, metrics: metrics, positions: positions, webhookMetrics: webhookMetrics,
        mqtt: mqtt),
      accounts: AccountAPI(
        work: work, owner: owner, signIn: signIn, sender: sender, noticed: noticed),
      login: LoginAPI(work: work, owner: owner, limits: limits, audit: audit), notices: NoticeAPI(work: work),
      secondFactor: SecondFactorAPI(work: work, signIn: signIn, noticed: noticed),
      tokens: TokenAPI(work: work, tokens: tokens, noticed: noticed), friends: FriendAPI(work: work),
      links: LinkAPI(work: work, owner: owner, signIn: signIn, tiles: configuration.tiles), zones: ZoneAPI(work: work),
      settings: SettingsAPI(work: work, deviceWork: deviceWork),
      ownTracksApps: OwnTracksAPI(work: work, friendsCache: friends, deviceWork: deviceWork),
      broker: MQTTAPI(work: work, mqtt: mqtt, deviceWork: deviceWork), missing: MissingAPI(work: work),
      rejected: RejectedRecordAPI(work: work, regionChanges: regionChanges, appConfigurations: appConfigurations), codes: QRAPI(),
      imports: ImportAPI(work: work, imports: imports, maximumUpload: configuration.maximumUpload),
      exports: ExportAPI(work: work), retention: RetentionAPI(work: work),
      deletion: DeletionAPI(
        work: work, tokens: tokens, deletion: deletion,
        announceDeletion: { Self.announceDeletion(friends, feed) }),
      pages: PageAPI(access: access, owner: owner, assets: assets, tiles: configuration.tiles), overland: overland,
      ownTracks: ownTracks, openLocate: OpenLocateReceiver(receiving: receiving), records: RecordReceiver(receiving: receiving),
      osmAnd: osmAnd,
      gpsLogger: OsmAndReceiver(receiving: receiving, tokens: tokens, speed: .metersPerSecond),
      phoneTrack: PhoneTrackReceiver(places: osmAnd, ownTracks: ownTracks, overland: overland))
    pipeline = RequestPipeline(
      handlers: handlers, admission: Admission(access: access, tokens: tokens), limits: limits, metrics: metrics,
      agents: UserAgentLog(store: store), audit: audit, assets: assets,
      origins: AllowedOrigins(configuration.allowedOrigins), keepsToTLS: configuration.keepsToTLS)
    store.observeCommits { group in
      let lanes = geofenceEvaluator.takeKeys()
      positions.hold(lanes)
      for (submission, stored) in group {
        metrics.intake.saved.add(stored.saved, ordering: .relaxed)
        metrics.intake.duplicates.add(stored.duplicates, ordering: .relaxed)
        if submission.retrying == nil { metrics.intake.rejected.add(submission.refusals.count, ordering: .relaxed) }
        eventPublisher.announce(submission, stored)
        friends.noted(submission, stored)
        if !submission.isHistory { positions.noted(submission, stored) }
      }
      metrics.intake.commits.add(1, ordering: .relaxed)
      sender.noted(lanes)
    }
  }

  /// The address of the map.
  public func pageAddress(port: UInt16) -> String {
    let address = configuration.listen
    // A wildcard address cannot be opened; use the machine's name.
    let host = address.isAny ? ServerHost.name : address.isIPv6 ? "[\(address.host)]" : address.host
    return "\(configuration.tls == nil ? "http" : "https")://\(host):\(port)/"
  }

  /// A URL that opens the map and begins an administrator's session. It works once, within ten minutes, and is a
  /// secret.
  /// - Throws: an error that names the file that could not be written.
  public func loginAddress(port: UInt16) throws -> String { try owner.login.link(to: pageAddress(port: port), at: Date()) }

  /// Serves until the task is cancelled.
  /// - Parameter listening: called once with the port, when the server accepts requests.
  /// - Throws: an error if the address cannot be bound; the message says why.
  public func run(listening: @Sendable (UInt16) -> Void) async throws {
    var terms = HTTPServer.Configuration(address: configuration.listen)
    terms.threads = configuration.threads
    terms.maximumBody = configuration.maximumBody
    terms.idleTimeout = configuration.idleTimeout
    terms.connectionsPerClient = configuration.shares.connections
    terms.trustedProxies = configuration.trustedProxies
    terms.log = configuration.log
    terms.identity = identity
    let http = HTTPServer(configuration: terms, handler: pipeline.handler)
    try imports.tidy()
    try owner.login.prepare()
    let port = try http.start()
    let address: RunningAddress?
    do throws(PrivateFileError) { address = try owner.login.announce(pageAddress(port: port)) } catch {
      // Only `godwit login` without --url needs the file; the server does not.
      address = nil
      configuration.notices("\(error)")
    }
    imports.start()
    sender.start()
    positions.start()
    try mqtt?.start(mqttServices, dataFolder: configuration.dataFolder)
    // Low priority, so that uploads and requests come first.
    let recomputing = Task(priority: .background) { [store, eventPublisher] in
      await RecomputeWorker(
        database: store,
        flagged: { eventPublisher.announce($1, ofDevice: $0) }
      ).run()
    }
    let watching = Task { [store, sender] in await OfflineMonitor.run(store) { sender.noted($0) } }
    let asking = configuration.geocoder.map { address in
      Task { [store] in
        let agent = "godwit/\(Version.current) (server of one's own location history)"
        await Geocoder(address: address, database: store, userAgent: agent).run()
      }
    }
    // Deletions that a previous run began.
    work.reading.async { [self] in resumeDeletions() }
    defer {
      recomputing.cancel()
      watching.cancel()
      asking?.cancel()
    }
    store.health.observe(configuration.notices)
    listening(port)
    defer { address?.withdraw() }
    do {
      for second in 1... {
        try await Task.sleep(for: .seconds(1))
        watch.tick(second: second)
        if second.isMultiple(of: 15) { feed.keepAlive() }
        if let identity { work.reading.async { [configuration] in identity.renew().map(configuration.notices) } }
        // Closes streams of revoked tokens.
        if feed.hasSubscribers { work.reading.async { [feed] in feed.review() } }
        if second % 3600 == 60 {
          work.reading.async { [self] in
            upkeep()
            // The store may have failed before, or a long read may have blocked the log.
            resumeDeletions()
          }
        }
        // Another server or a command may have added deliveries.
        if second.isMultiple(of: 30) { sender.refresh() }
        // Another server or `godwit delete` may have deleted data or changed the owner of a device.
        work.reading.async { [store, changes, friends, feed] in
          if changes.hasChanged(in: store) { Self.announceDeletion(friends, feed) }
        }
        // Another program may have changed regions.
        if feed.hasSubscribers { work.reading.async { [regionChanges] in regionChanges.look() } }
        if let sharedFeed { work.reading.async { sharedFeed.look(at: Date()) } }
      }
    } catch {
      // Only cancellation ends the loop.
    }
    http.beginStopping()
    feed.close()
    await http.stop(within: 5)
    await mqtt?.stop(within: 5)
    imports.stop()
    configuration.log?.finish()
    positions.stop()
    await sender.stop(within: 5)
    store.close()
  }
}

extension Server {
  /// Limits the number of malloc arenas of the process, so that it stays small under load. For a program that is only a
  /// server; call it before other threads start. Only with glibc (`M_ARENA_MAX` of `mallopt`).
  public static func keepMemoryTogether() { ProcessMemory.limitArenas(to: 2) }

  /// Whether a text is an origin in a browser's form, or `*` for all.
  public static func isOrigin(_ text: String) -> Bool { AllowedOrigins.isOrigin(text) }

  /// Computes now the pending timelines, which a running server would compute soon.
  public func catchUp() async throws { try await RecomputeWorker(database: store).catchUp(at: .distantFuture) }

  /// Makes pages reload devices after a deletion by this or another program.
  private static func announceDeletion(_ friends: OwnTracksFriends, _ feed: EventBroadcaster) {
    friends.invalidate()
    feed.resync()
  }

  /// Deletes ended sessions, expired failures and old log lines. Between three and four at night it also applies
  /// retention.
  private func upkeep() {
    let now = Date()
    if Calendar.current.component(.hour, from: now) == 3 { RetentionRun(database: store).runAll(at: now, audit) }
    store.write(
      { connection in
        try SessionTable.removeEnded(at: now, connection)
        try SignInThrottle.forget(at: now, connection)
        try AuditTable.forget(at: now, connection)
        try AccountNoticeTable.removeOld(at: now, connection)
        try RejectedRecordTable.discardResolved(at: now, connection)
      }, completion: { _ in })
  }

  /// Runs a query in the store; returns after it succeeded or failed.
  public func comesBack() async {
    await withCheckedContinuation { continuation in
      work.reading.async { [store] in
        _ = try? store.device(named: "")
        continuation.resume()
      }
    }
  }

  /// Completes deletions that a crash interrupted. Blocks the thread.
  func resumeDeletions() {
    do { try deletion.resume() } catch {
      configuration.notices("A deletion is not complete: \(error). It goes on when the server starts again.")
    }
  }

  /// Closes the store of a server that was not run.
  func closeStore() {
    imports.stop()
    store.close()
  }
}
