internal import GodwitAPI
internal import GodwitIntake
internal import GodwitServices

/// The receivers of records over HTTP and MQTT.
struct ReceiverComponents: Sendable {
  let receiving: Receiving
  let inbox: OwnTracksInbox
  /// The MQTT client; `nil` without a broker.
  let mqtt: MQTTClient?
  private let mqttServices: MQTTServices
  private let dataFolder: String

  init(_ stores: StoreComponents, _ live: LiveComponents, _ metrics: Metrics, _ configuration: Server.Configuration) throws {
    receiving = Receiving(store: stores.store, counters: metrics.intake, maximumBody: configuration.maximumBody)
    inbox = OwnTracksInbox(
      store: stores.store, reading: stores.work.reading, appConfigurations: stores.appConfigurations, regions: stores.regions,
      regionChanges: live.regionChanges, friends: stores.friends)
    mqtt = try configuration.mqtt.map { try MQTTClient($0) }
    mqttServices = MQTTServices(
      store: stores.store, appConfigurations: stores.appConfigurations, inbox: inbox, maximumBody: configuration.maximumBody)
    dataFolder = configuration.dataFolder
  }

  /// The MQTT client as a service; `nil` without a broker.
  var mqttService: StartedService? {
    mqtt.map { mqtt in
      StartedService(
        start: { try mqtt.start(mqttServices, dataFolder: dataFolder) }, stop: { await mqtt.stop(within: Server.stopTimeout) })
    }
  }
}
