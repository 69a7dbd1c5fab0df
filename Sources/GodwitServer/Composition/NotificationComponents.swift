internal import GodwitGeofencing
internal import GodwitHistory
internal import GodwitRegions
internal import GodwitStore

/// Geofences and webhooks: components that detect events in commits and deliver them.
struct NotificationComponents: Sendable {
  let evaluator: GeofenceEvaluator
  /// Sends deliveries to their webhooks.
  let sender: WebhookSender
  /// Sends positions of devices to webhooks.
  let positions: PositionSender
  let metrics = WebhookMetrics()

  /// Adds the evaluation of geofences to the transactions of the store.
  init(_ stores: StoreComponents, _ environment: ServerEnvironment) throws {
    let store = stores.store
    let evaluator = GeofenceEvaluator(source: StoredRegions(stores.regions))
    // Loads the regions now, so that the first upload does not wait for them.
    try store.read { try evaluator.begin([], $0) }
    store.addParticipant(evaluator)
    self.evaluator = evaluator
    let positions = PositionSender(
      transport: HTTPTransport(environment.network), clock: store.clock, queues: store.queues,
      isShown: { record, device in try store.read { try LivePositionTable.isShown(record, device: device.id, $0) } },
      read: { try store.read { try WebhookTables.all($0) } })
    self.positions = positions
    sender = WebhookSender(
      store: store, transport: HTTPTransport(environment.network), clock: store.clock, random: environment.random,
      metrics: metrics
    ) {
      positions.release($0, after: $1)
    }
  }
}
