internal import GodwitIntake

/// The handlers of all routes with their dependencies, created once.
struct RouteHandlers: Sendable {
  let reading: ReadingAPI
  let overview: OverviewAPI
  let timeline: TimelineAPI
  let statistics: StatisticsAPI
  let places: PlaceAPI
  let regions: RegionsAPI
  let regionDevices: RegionDevicesAPI
  let regionEvents: RegionEventsAPI
  let webhooks: WebhookAPI
  let accounts: AccountAPI
  let login: LoginAPI
  let notices: NoticeAPI
  let secondFactor: SecondFactorAPI
  let tokens: TokenAPI
  let friends: FriendAPI
  let links: LinkAPI
  let zones: ZoneAPI
  let settings: SettingsAPI
  let ownTracksApps: OwnTracksAPI
  let broker: MQTTAPI
  let missing: MissingAPI
  let rejected: RejectedRecordAPI
  let codes: QRAPI
  let imports: ImportAPI
  let exports: ExportAPI
  let retention: RetentionAPI
  let deletion: DeletionAPI
  let pages: PageAPI
  let overland: OverlandReceiver
  let ownTracks: OwnTracksReceiver
  let openLocate: OpenLocateReceiver
  let records: RecordReceiver
  let osmAnd: OsmAndReceiver
  let gpsLogger: OsmAndReceiver
  let phoneTrack: PhoneTrackReceiver
}
