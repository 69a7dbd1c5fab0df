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

/// The server: takes in what devices send, keeps it, and shows it.
///
///     let server = try Server(configuration: .init(listen: address, dataFolder: "/var/lib/godwit"))
///     try await server.run { port in print("http://127.0.0.1:\(port)/") }
///
/// `run` ends when its task is cancelled: it takes no new connections, stores what has arrived, answers it,
/// and closes the database.
public final class Server: Sendable {
  public struct Configuration: Sendable {
    public var listen: ListenAddress
    /// Folder of the owner's token, and of the database unless ``store`` says otherwise; made if it is not there.
    public var dataFolder: String
    /// Where the database is; `nil`: in ``dataFolder``.
    public var store: StoreLocation?
    /// Map tiles for the page; `nil` draws a graticule instead and asks no other server.
    public var tiles: MapTiles?
    /// A Nominatim for the addresses of visits; `nil`: none is asked.
    public var geocoder: String?
    /// Folder with `leaflet.js`; `nil` looks where Debian and others put it.
    public var leafletFolder: String?
    /// Threads that read requests and decode bodies.
    public var threads = 2
    /// Largest request body in bytes, after decompression.
    public var maximumBody = 16 << 20
    /// Largest file that is imported, in bytes.
    public var maximumUpload = 64 << 30
    /// Seconds without a byte after which a connection is closed.
    public var idleTimeout: UInt32 = 30
    /// How much may be asked, by whom.
    public var rateLimits = RateLimits()
    /// How much of the server one client may have at the same time.
    public var shares = ShareLimits()
    /// The broker over which OwnTracks' apps are heard; `nil`: none.
    public var mqtt: MQTTConfiguration?
    /// Whose word about the client of a request is believed.
    public var trustedProxies = TrustedProxies.thisMachine
    /// The header in which those proxies name the user of a request; `nil`: none.
    public var identityHeader: IdentityHeader?
    /// Whose pages, besides the server's own, may read its answers with a token: `https://example.org`; `*` for all.
    public var allowedOrigins: [String] = []
    /// What tells of the requests.
    public var log: RequestLog?
    /// Certificate and key, for TLS; `nil`: without.
    public var tls: TLSFiles?
    /// Whether browsers that came over TLS are told to come back over TLS only, for a year (`Strict-Transport-Security`, RFC 6797).
    public var keepsToTLS = true
    /// Takes what is to be told of the server itself, such as a certificate that was renewed.
    public var notices: @Sendable (String) -> Void = { _ in }

    public init(listen: ListenAddress, dataFolder: String) {
      self.listen = listen
      self.dataFolder = dataFolder
    }
  }

  let configuration: Configuration
  /// By which it shows who it is, over TLS.
  private let identity: TLSIdentity?
  let store: any StoreDatabase
  let owner: OwnerAccess
  /// Reads and changes for requests.
  private let work: RequestWork
  /// From the headers of a request to its answer.
  let pipeline: RequestPipeline
  let feed = EventBroadcaster()
  /// Open pages of other servers of the same database, where there can be others.
  private let sharedFeed: ClusterEventRelay?
  private let regionChanges: RegionChangeNotifier
  private let friends: OwnTracksFriends
  /// Brings deliveries to their webhooks while the server runs.
  private let sender: WebhookSender
  /// Imports what people upload.
  let imports: ImportQueue
  /// Turns commits into live events.
  private let eventPublisher: EventPublisher
  /// Tells webhooks where devices are.
  private let positions: PositionSender
  /// Whether something was deleted.
  private let changes = DeletionWatch()
  private let deletion: DeletionRun
  private let watch: StoreWatch
  let audit: AuditLog
  /// The client of a broker, while the server runs, and what it uses.
  private let mqtt: MQTTClient?
  private let mqttServices: MQTTServices

  /// Opens the store.
  /// - Throws: what the file system or the database refuse, as errors that say what to do.
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
    // So that the first upload does not wait for many regions to be read.
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
      // No page shows a device that cannot be found.
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
    // "Every address" is no address to open: the machine's name is.
    let host = address.isAny ? ServerHost.name : address.isIPv6 ? "[\(address.host)]" : address.host
    return "\(configuration.tls == nil ? "http" : "https")://\(host):\(port)/"
  }

  /// An address that opens the map and begins a session of the owner: once, and within ten minutes. It is a secret.
  /// - Throws: an error that names the file that cannot be written.
  public func loginAddress(port: UInt16) throws -> String { try owner.login.link(to: pageAddress(port: port), at: Date()) }

  /// Serves until the task is cancelled.
  /// - Parameter listening: called once, with the port, when requests are taken.
  /// - Throws: when the address cannot be listened on; the message says why.
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
      // Without it `godwit login` needs the option --url; the server itself does not need it.
      address = nil
      configuration.notices("\(error)")
    }
    imports.start()
    sender.start()
    positions.start()
    try mqtt?.start(mqttServices, dataFolder: configuration.dataFolder)
    // Uploads and requests have the processor first.
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
    // What was begun before the server ended.
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
        // A token that was revoked reads nothing from then on.
        if feed.hasSubscribers { work.reading.async { [feed] in feed.review() } }
        if second % 3600 == 60 {
          work.reading.async { [self] in
            upkeep()
            // Where the store did not answer, or its log was read for long.
            resumeDeletions()
          }
        }
        // Another server or a command may have left letters behind.
        if second.isMultiple(of: 30) { sender.refresh() }
        // Another server, or `godwit delete`, may have deleted something, or changed whose a device is.
        work.reading.async { [store, changes, friends, feed] in
          if changes.hasChanged(in: store) { Self.announceDeletion(friends, feed) }
        }
        // Another program may have changed them.
        if feed.hasSubscribers { work.reading.async { [regionChanges] in regionChanges.look() } }
        if let sharedFeed { work.reading.async { sharedFeed.look(at: Date()) } }
      }
    } catch {
      // Cancelled: the only way out.
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
  /// Has the whole process keep freed memory in few places, so that it stays small under load: for a program that is a server and
  /// nothing else. To be called before other threads run. With glibc only (`M_ARENA_MAX` of `mallopt`).
  public static func keepMemoryTogether() { ProcessMemory.limitArenas(to: 2) }

  /// Whether a text is an origin as a browser writes it, or `*` for all.
  public static func isOrigin(_ text: String) -> Bool { AllowedOrigins.isOrigin(text) }

  /// Computes at once what is to be computed of points, and would be soon while it runs.
  public func catchUp() async throws { try await RecomputeWorker(database: store).catchUp(at: .distantFuture) }

  /// Tells pages to read devices anew of which something was deleted, here or by another program.
  private static func announceDeletion(_ friends: OwnTracksFriends, _ feed: EventBroadcaster) {
    friends.invalidate()
    feed.resync()
  }

  /// Throws away what is kept for a time only: sessions that ended, failures that are forgotten, old lines of the log.
  /// In the hour after three at night points go that are kept no longer.
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

  /// Asks the store something, and returns when it has answered, well or badly.
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

  /// For who has not run it.
  func closeStore() {
    imports.stop()
    store.close()
  }
}
