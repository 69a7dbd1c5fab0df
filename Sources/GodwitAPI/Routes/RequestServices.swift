package import GodwitAccess
package import GodwitAccounts
package import GodwitDeletion
package import GodwitGeofencing
package import GodwitHistory
package import GodwitIntake
package import GodwitPhotos
package import GodwitRegions
package import GodwitRoutes
package import GodwitStore
package import GodwitTiles
package import GodwitTransfer

/// The parts of the server that handlers use. The server makes them once.
package struct RequestServices: Sendable {
  /// Reads and writes for requests.
  let work: RequestWork
  let access: AccessControl
  let administrator: AdministratorAccess
  let signIn: SignIn
  /// Signs in users of an OpenID provider; `nil` without a provider.
  let openID: OpenIDSignIn?
  let tokens: TokenCache
  let limits: ServerLimits
  let audit: AuditLog
  let metrics: Metrics
  let feed: EventBroadcaster
  let eventPublisher: EventPublisher
  let regions: any RegionStore
  let regionChanges: RegionChangeNotifier
  let sender: WebhookSender
  let positions: PositionSender
  let webhookMetrics: WebhookMetrics
  /// The MQTT client; `nil` without a broker.
  let mqtt: MQTTClient?
  let appConfigurations: AppConfigurationCache
  let friends: OwnTracksFriends
  let inbox: OwnTracksInbox
  let receiving: Receiving
  let imports: ImportQueue
  /// Maximum size of an imported file in bytes.
  let maximumUpload: Int
  let deletion: DeletionRun
  let photos: PhotoLibrary
  /// Makes pages reload devices.
  let announceDeletion: @Sendable () -> Void
  /// The data folder.
  let dataFolder: String
  /// Checks whether the store can write. The callback gets the fault, or `nil`, exactly once.
  let checkStore: @Sendable (@escaping @Sendable (StoreFault?) -> Void) -> Void
  let files: PageFiles
  /// Map tiles of the pages; `nil` if the pages have none.
  let tiles: MapTiles?
  /// Opens the server to the network.
  let network: any LocalNetworkAccess
  /// Whether the server is a demo.
  let isDemo: Bool
  let basemaps: Basemaps
  let fonts: MapFonts
  /// The roads of trips.
  let roads: RoadLibrary

  package init(
    work: RequestWork,
    access: AccessControl,
    administrator: AdministratorAccess,
    signIn: SignIn,
    openID: OpenIDSignIn?,
    tokens: TokenCache,
    limits: ServerLimits,
    audit: AuditLog,
    metrics: Metrics,
    feed: EventBroadcaster,
    eventPublisher: EventPublisher,
    regions: any RegionStore,
    regionChanges: RegionChangeNotifier,
    sender: WebhookSender,
    positions: PositionSender,
    webhookMetrics: WebhookMetrics,
    mqtt: MQTTClient?,
    appConfigurations: AppConfigurationCache,
    friends: OwnTracksFriends,
    inbox: OwnTracksInbox,
    receiving: Receiving,
    imports: ImportQueue,
    maximumUpload: Int,
    deletion: DeletionRun,
    photos: PhotoLibrary,
    announceDeletion: @escaping @Sendable () -> Void,
    dataFolder: String,
    checkStore: @escaping @Sendable (@escaping @Sendable (StoreFault?) -> Void) -> Void,
    files: PageFiles,
    tiles: MapTiles?,
    network: any LocalNetworkAccess,
    isDemo: Bool,
    basemaps: Basemaps,
    fonts: MapFonts,
    roads: RoadLibrary
  ) {
    self.work = work
    self.access = access
    self.administrator = administrator
    self.signIn = signIn
    self.openID = openID
    self.tokens = tokens
    self.limits = limits
    self.audit = audit
    self.metrics = metrics
    self.feed = feed
    self.eventPublisher = eventPublisher
    self.regions = regions
    self.regionChanges = regionChanges
    self.sender = sender
    self.positions = positions
    self.webhookMetrics = webhookMetrics
    self.mqtt = mqtt
    self.appConfigurations = appConfigurations
    self.friends = friends
    self.inbox = inbox
    self.receiving = receiving
    self.imports = imports
    self.maximumUpload = maximumUpload
    self.deletion = deletion
    self.photos = photos
    self.announceDeletion = announceDeletion
    self.dataFolder = dataFolder
    self.checkStore = checkStore
    self.files = files
    self.tiles = tiles
    self.network = network
    self.isDemo = isDemo
    self.basemaps = basemaps
    self.fonts = fonts
    self.roads = roads
  }
}
