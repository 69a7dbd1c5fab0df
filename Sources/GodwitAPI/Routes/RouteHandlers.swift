internal import GodwitAccess
internal import GodwitAccountAPI
internal import GodwitHistoryAPI
internal import GodwitIntake
internal import GodwitTiles
internal import GodwitWire

/// The handlers of all routes with their dependencies, created once.
package struct RouteHandlers: Sendable {
  let server: ServerAPI
  let network: NetworkAPI
  let reading: ReadingAPI
  let overview: OverviewAPI
  let history: HistoryHandlers
  let regions: RegionsAPI
  let regionDevices: RegionDevicesAPI
  let regionEvents: RegionEventsAPI
  let webhooks: WebhookAPI
  let accounts: AccountHandlers
  let settings: SettingsAPI
  let ownTracksApps: OwnTracksAPI
  let broker: MQTTAPI
  let health: DeviceHealthAPI
  let rejected: RejectedRecordAPI
  let codes: QRAPI
  let imports: ImportAPI
  let exports: ExportAPI
  let deletion: DeletionAPI
  let trash: TrashAPI
  let mirror: MirrorAPI
  let deviceChanges: DeviceChangeAPI
  let photos: PhotoAPI
  let pages: PageAPI
  let basemap: BasemapAPI
  let overland: OverlandReceiver
  let ownTracks: OwnTracksReceiver
  let openLocate: OpenLocateReceiver
  let records: RecordReceiver
  let osmAnd: OsmAndReceiver
  let gpsLogger: OsmAndReceiver
  let phoneTrack: PhoneTrackReceiver

  package init(_ services: RequestServices) {
    let (work, all) = (services.work, services)
    let deviceWork = DeviceWork(work: work, appConfigurations: all.appConfigurations, mqtt: all.mqtt)
    server = ServerAPI(
      work: work, feed: all.feed, metrics: all.metrics, webhookMetrics: all.webhookMetrics, mqtt: all.mqtt, tiles: all.tiles,
      basemaps: all.basemaps, roads: all.roads, checkStore: all.checkStore)
    network = NetworkAPI(network: all.network)
    reading = ReadingAPI(work: work, access: all.access, feed: all.feed, limits: all.limits)
    overview = OverviewAPI(work: work)
    history = HistoryHandlers(
      work: work, eventPublisher: all.eventPublisher, placeNames: all.basemaps.places, roads: all.roads)
    regions = RegionsAPI(work: work, regions: all.regions, regionChanges: all.regionChanges)
    regionDevices = RegionDevicesAPI(work: work, regions: all.regions, regionChanges: all.regionChanges)
    regionEvents = RegionEventsAPI(work: work)
    webhooks = WebhookAPI(work: work, sender: all.sender, positions: all.positions)
    accounts = AccountHandlers(
      noticed: NoticedWork(work: work, outbox: all.sender), administrator: all.administrator, signIn: all.signIn,
      openID: all.openID,
      limits: all.limits,
      audit: all.audit, tiles: all.tiles, basemaps: all.basemaps)
    settings = SettingsAPI(work: work, deviceWork: deviceWork)
    ownTracksApps = OwnTracksAPI(work: work, friendsCache: all.friends, deviceWork: deviceWork)
    broker = MQTTAPI(work: work, mqtt: all.mqtt, deviceWork: deviceWork)
    health = DeviceHealthAPI(work: work)
    rejected = RejectedRecordAPI(work: work, regionChanges: all.regionChanges, appConfigurations: all.appConfigurations)
    codes = QRAPI()
    imports = ImportAPI(work: work, imports: all.imports, maximumUpload: all.maximumUpload)
    exports = ExportAPI(work: work)
    deletion = DeletionAPI(
      work: work, tokens: all.tokens, deletion: all.deletion, announceDeletion: all.announceDeletion)
    trash = TrashAPI(
      work: work, tokens: all.tokens, deletion: all.deletion, announceDeletion: all.announceDeletion, folder: all.dataFolder)
    deviceChanges = DeviceChangeAPI(
      work: work, tokens: all.tokens, deletion: all.deletion, announceDeletion: all.announceDeletion)
    mirror = MirrorAPI(
      work: work, tokens: all.tokens, receiving: all.receiving, deletion: all.deletion, announceDeletion: all.announceDeletion)
    photos = PhotoAPI(work: work, library: all.photos)
    pages = PageAPI(
      work: work, access: all.access, administrator: all.administrator, files: all.files, tiles: all.tiles,
      shell: PageShell(access: all.access, files: all.files, isDemo: all.isDemo))
    basemap = BasemapAPI(basemaps: all.basemaps, fonts: all.fonts)
    overland = OverlandReceiver(
      receiving: all.receiving, appConfigurations: all.appConfigurations, regionChanges: all.regionChanges)
    ownTracks = OwnTracksReceiver(receiving: all.receiving, inbox: all.inbox)
    openLocate = OpenLocateReceiver(receiving: all.receiving)
    records = RecordReceiver(receiving: all.receiving)
    osmAnd = OsmAndReceiver(receiving: all.receiving, tokens: all.tokens, speed: .knots)
    gpsLogger = OsmAndReceiver(receiving: all.receiving, tokens: all.tokens, speed: .metersPerSecond)
    phoneTrack = PhoneTrackReceiver(places: osmAnd, ownTracks: ownTracks, overland: overland)
  }
}
