internal import Foundation
internal import GodwitAPI
internal import GodwitAccess
internal import GodwitAccounts
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitPhotos
internal import GodwitSecrets
package import GodwitServices
internal import GodwitStore
internal import GodwitTransfer
internal import Synchronization

/// The server: receives and stores the records of devices, and shows them on its pages.
///
///     let server = try Server(configuration: .init(listen: address, dataFolder: "/var/lib/godwit"))
///     try await server.run { port in print("http://127.0.0.1:\(port)/") }
///
/// `run` ends when its task is cancelled: it accepts no new connections, stores and answers pending requests, and
/// closes the database.
///
/// Each property below composes one part; `services(of:)` lists the running services.
public final class Server: Sendable {
  let configuration: Configuration
  /// Runs tasks; `nil`: executors of the system.
  let executor: (any TaskExecutor)?
  /// The server's certificate and key.
  let identity: TLSIdentity?
  let stores: StoreComponents
  let live: LiveComponents
  let notifications: NotificationComponents
  let transfer: TransferComponents
  let receivers: ReceiverComponents
  let watch: StoreWatch
  /// Opens the server to the network.
  let network: NetworkListener
  let maps: MapComponents
  /// Handles requests from their headers to their answers.
  let pipeline: RequestPipeline

  /// Opens the store.
  /// - Throws: an error of the file system or the database; its description gives the remedy.
  public convenience init(configuration: Configuration) throws {
    try self.init(configuration: configuration, environment: ServerEnvironment())
  }

  /// Opens the store with another clock.
  package convenience init(configuration: Configuration, clock: ServerClock) throws {
    try self.init(configuration: configuration, environment: ServerEnvironment(clock: clock))
  }

  /// Opens the store with another environment.
  package init(configuration: Configuration, environment: ServerEnvironment) throws {
    self.configuration = configuration
    executor = environment.queues.executor
    identity = try configuration.tls.map { files throws(TLSError) in try TLSIdentity(files) }
    stores = try StoreComponents(configuration, environment)
    live = try LiveComponents(stores)
    notifications = try NotificationComponents(stores, environment)
    transfer = try TransferComponents(stores, live, dataFolder: configuration.dataFolder)
    let metrics = Metrics(clock: environment.clock)
    receivers = try ReceiverComponents(stores, live, metrics, configuration)
    watch = StoreWatch(stores.store)
    network = NetworkListener(configuration, feed: live.feed)
    maps = try MapComponents(configuration, stores)
    let services = Self.requestServices(
      stores, live, notifications, transfer, receivers, watch, network, maps, metrics, configuration)
    pipeline = RequestPipeline(
      services: services, origins: AllowedOrigins(configuration.allowedOrigins), keepsToTLS: configuration.keepsToTLS)
    observeCommits(metrics)
  }

  /// Returns the parts that the request handlers use.
  private static func requestServices(
    _ stores: StoreComponents, _ live: LiveComponents, _ notifications: NotificationComponents, _ transfer: TransferComponents,
    _ receivers: ReceiverComponents, _ watch: StoreWatch, _ network: NetworkListener, _ maps: MapComponents, _ metrics: Metrics,
    _ configuration: Configuration
  ) -> RequestServices {
    let assets = Assets(mapLibrary: MapLibrary(folder: configuration.mapLibraryFolder))
    return RequestServices(
      work: stores.work, access: stores.access, administrator: stores.administrator,
      signIn: SignIn(database: stores.store, outbox: notifications.sender),
      openID: configuration.openID.map {
        OpenIDSignIn(provider: OpenIDProvider($0), work: stores.work, outbox: notifications.sender)
      }, tokens: stores.tokens,
      limits: ServerLimits(configuration.rateLimits, configuration.shares, clock: stores.store.clock), audit: stores.audit,
      metrics: metrics,
      feed: live.feed, eventPublisher: live.publisher, regions: stores.regions, regionChanges: live.regionChanges,
      sender: notifications.sender, positions: notifications.positions, webhookMetrics: notifications.metrics,
      mqtt: receivers.mqtt, appConfigurations: stores.appConfigurations, friends: stores.friends, inbox: receivers.inbox,
      receiving: receivers.receiving, imports: transfer.imports, maximumUpload: configuration.maximumUpload,
      deletion: transfer.deletion, photos: PhotoLibrary(clock: stores.store.clock),
      announceDeletion: {
        live.publishDeletion()
        // A rename or a merge changes the webhooks of a device.
        notifications.positions.refresh()
      },
      dataFolder: configuration.dataFolder,
      checkStore: { completion in watch.check(completion) }, files: PageFiles { assets.file(at: $0, in: $1) },
      tiles: configuration.tiles, network: network, isDemo: configuration.isDemo, basemaps: maps.basemaps,
      fonts: maps.fonts, roads: maps.roads)
  }

  /// Passes each commit to the pages, the webhooks and the metrics. Runs on the store's thread.
  private func observeCommits(_ metrics: Metrics) {
    let (publisher, friends, notifications) = (live.publisher, stores.friends, notifications)
    stores.store.observeCommits { group in
      let keys = notifications.evaluator.takeKeys()
      notifications.positions.hold(keys)
      for (submission, stored) in group {
        metrics.intake.saved.add(stored.saved, ordering: .relaxed)
        metrics.intake.duplicates.add(stored.duplicates, ordering: .relaxed)
        if submission.retrying == nil { metrics.intake.rejected.add(submission.rejections.count, ordering: .relaxed) }
        publisher.publish(submission, stored)
        friends.noted(submission, stored)
        if !submission.isHistory { notifications.positions.noted(submission, stored) }
      }
      metrics.intake.commits.add(1, ordering: .relaxed)
      notifications.sender.deliver(keys)
    }
  }

  /// The URL of the map page.
  public func pageAddress(port: UInt16) -> String {
    let address = configuration.listen
    // A wildcard address cannot be opened.
    let host =
      address.isAny
      ? ServerHost.name(isSecure: configuration.tls != nil, configuration.networkAddresses)
      : address.isIPv6 ? "[\(address.host)]" : address.host
    return "\(configuration.tls == nil ? "http" : "https")://\(host):\(port)/"
  }

  /// Returns a URL that opens the map and begins an administrator's session. The URL works once, within ten minutes, and is a
  /// secret.
  /// - Throws: an error that names the file that could not be written.
  public func loginAddress(port: UInt16) throws -> String {
    try stores.administrator.login.link(to: pageAddress(port: port), at: stores.store.clock.now)
  }

  /// Serves until the task is cancelled.
  /// - Parameter listening: called once with the port, when the server accepts requests.
  /// - Throws: an error if the address cannot be bound; the message gives the reason. The error of a service that failed.
  public func run(listening: @Sendable (UInt16) -> Void) async throws {
    let http = HTTPServer(configuration: httpConfiguration(configuration.listen), handler: pipeline.handler)
    try transfer.imports.tidy()
    try stores.administrator.login.prepare()
    let port = try http.start()
    let address: RunningAddress?
    do throws(PrivateFileError) { address = try stores.administrator.login.announce(pageAddress(port: port)) } catch {
      // Only `godwit login` without --url needs the file; the server does not.
      address = nil
      configuration.notices("\(error)")
    }
    defer { address?.withdraw() }
    stores.store.health.observe(configuration.notices)
    await network.begin(port: port) { [self] address in
      HTTPServer(configuration: httpConfiguration(address), handler: pipeline.handler)
    }
    // Called after `network.begin`, so that the server is already open to the network when `listening` reports the address.
    listening(port)
    try await services(of: http).run()
  }

  private func httpConfiguration(_ address: ListenAddress) -> HTTPServer.Configuration {
    var http = HTTPServer.Configuration(address: address)
    http.threads = configuration.threads
    http.maximumBody = configuration.maximumBody
    http.idleTimeout = configuration.idleTimeout
    http.connectionsPerClient = configuration.shares.connections
    http.trustedProxies = configuration.trustedProxies
    http.log = configuration.log
    http.identity = identity
    if let executor { http.executor = executor }
    return http
  }
}

extension Server {
  /// Limits the number of malloc arenas, so that the memory of the process stays small under load. Only for a program that is
  /// only a server; call it before other threads start. Has an effect with glibc only (`M_ARENA_MAX` of `mallopt`).
  public static func limitMallocArenas() { ProcessMemory.limitArenas(to: 2) }

  /// Whether a text is an origin as browsers send it, or `*` for all origins.
  public static func isOrigin(_ text: String) -> Bool { AllowedOrigins.isOrigin(text) }

  /// Computes the pending timelines immediately. A running server computes them in the background.
  public func processBacklog() async throws {
    try await RecomputeWorker(database: stores.store).processBacklog(at: .distantFuture)
  }

  /// Runs a query in the store. Returns after the query succeeded or failed.
  public func healthCheck() async {
    _ = try? await stores.work.reading.run { [store = stores.store] in try store.device(named: "") }
  }

  /// Closes the store of a server that was not run.
  func closeStore() {
    transfer.imports.stop()
    stores.store.close()
  }
}

// Shortcuts to the parts that commands and tests use.
extension Server {
  var store: any StoreDatabase { stores.store }
  var administrator: AdministratorAccess { stores.administrator }
  var audit: AuditLog { stores.audit }
  var feed: EventBroadcaster { live.feed }
  var imports: ImportQueue { transfer.imports }
}
