internal import GodwitAccess
internal import GodwitGeofencing
internal import GodwitHTTP
internal import GodwitHistory
internal import GodwitIntake
internal import GodwitMirror
internal import GodwitModel
internal import GodwitRoutes
internal import GodwitServices
internal import GodwitStore
internal import GodwitTiles
internal import Synchronization

/// Routes about the server: its settings for pages, its health, and its metrics.
struct ServerAPI {
  let work: RequestWork
  let feed: EventBroadcaster
  let metrics: Metrics
  let webhookMetrics: WebhookMetrics
  let mqtt: MQTTClient?
  let tiles: MapTiles?
  let basemaps: Basemaps
  let roads: RoadLibrary
  /// See ``RequestServices/checkStore``.
  let checkStore: @Sendable (@escaping @Sendable (StoreFault?) -> Void) -> Void

  struct Settings: ResultObject {
    var version: String
    var protocols: [ProtocolName]
    @Nullable var tiles: MapTilesResult?
    @Nullable var basemap: BasemapResult?
    var roads: Bool

    static let notes: [String: JSONValue] = ["roads": "Whether distances of trips are measured along roads."]
  }

  struct Health: ResultObject {
    var status = "ok"
    var version: String
    static let notes: [String: JSONValue] = ["status": ["const": "ok"]]
    static var hasEntityTag: Bool { false }
  }

  func settings(_ request: PlainRequest) async throws -> Settings {
    let hasRoads = try await work.read { try roads.roads($0) != nil }
    return Settings(
      version: Version.current, protocols: RecordProtocol.formats.map { ProtocolName(name: $0.rawValue) },
      tiles: tiles.map { MapTilesResult($0) }, basemap: basemaps.own.map { BasemapResult($0) }, roads: hasRoads)
  }

  func health(_ request: PlainRequest) async throws -> Health {
    _ = try await work.run { try work.store.device(named: "") }
    let fault = await withCheckedContinuation { continuation in checkStore { continuation.resume(returning: $0) } }
    if let fault { throw Problem(503, "Store not writable", fault.description, retryAfter: 30) }
    return Health(version: Version.current)
  }

  /// Returns the metrics of the server, of webhooks and of the store.
  func metrics(_ request: PlainRequest) async throws -> RawResult<MetricsPage> {
    let suspended = request.http.suspendedRequests
    return try await work.read { db in
      var text = MetricsText()
      metrics.write(
        suspended: suspended, subscribers: feed.subscribers.load(ordering: .relaxed),
        droppedEvents: feed.dropped.load(ordering: .relaxed), to: &text)
      let counts = try WebhookTables.counts(db)
      webhookMetrics.write(pending: counts.waiting, failed: counts.dead, to: &text)
      try StoreGauges.write(db, to: &text)
      work.store.health.write(to: &text)
      mqtt?.status.write(to: &text)
      try MirrorState(db)?.write(at: work.now, to: &text)
      return RawResult(
        HTTPResponse(status: 200, contentType: MetricsPage.type, body: Array(text.text.utf8)))
    }
  }
}

/// A response in the text format of Prometheus.
enum MetricsPage: RawContent {
  static let type = "text/plain; version=0.0.4; charset=utf-8"
  static func content(in components: SchemaComponents) -> JSONValue? { [type: ["schema": ["type": "string"]]] }
}

/// The name of an upload protocol.
struct ProtocolName: Codable, Sendable, DocumentedValue, JSONWritable {
  let name: String
  static func schema(in components: SchemaComponents) -> JSONValue {
    components.named(
      "ProtocolName", ["type": "string", "enum": .array(RecordProtocol.formats.map { .string($0.rawValue) })])
  }
  static let sample = Self(name: "")
  func write(to bytes: inout [UInt8]) { name.write(to: &bytes) }
}
