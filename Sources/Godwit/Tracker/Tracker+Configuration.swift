public import GodwitDelivery
internal import GodwitEngine
public import GodwitModel

extension Tracker {
  /// The configuration of a tracker: what it records, where it stores the records, and where it sends them.
  ///
  ///     var configuration = Tracker.Configuration(journalPath: journalPath, endpoints: [home])
  ///     configuration.settings.apply(.adaptive)
  ///     let tracker = try Tracker(configuration: configuration, sensor: sensor)
  public struct Configuration: Sendable {
    /// The journal's file. Its folder must be one that the system does not empty.
    public var journalPath: String
    public var endpoints: [Endpoint]
    public var settings: Settings
    /// The device's own identifier, sent only if the settings include it.
    public var uniqueID: String?
    /// Shows notices; `nil`: none are shown.
    public var notifier: (any Notifier)?
    /// Called with records as soon as they are in the journal, in order and without their identifiers; for a program
    /// that shows its records. The tracker waits for each call, so it must be fast.
    public var recorded: (@Sendable ([Record]) -> Void)?
    /// The log of the engine's events, for fault reports; `nil`: none.
    public var eventLog: Tracker.EventLog?
    /// Seconds after which records are flushed to the disk; 0: at once. Records survive the end of the program in any
    /// case. A power cut can lose the records of this interval plus two seconds. No record is sent before it is flushed.
    public var syncInterval: Double = 15
    /// Geofences and beacons; `nil`: none.
    public var regions: RegionConfiguration?
    public var environment: TrackerEnvironment
    /// Returns values to store in the transaction of an event's records, such as a position in a file.
    package var positionNotes: (@Sendable (Event) -> [String: String?])?

    public init(
      journalPath: String, endpoints: [Endpoint], settings: Settings = Settings(), uniqueID: String? = nil,
      environment: TrackerEnvironment = .live()
    ) {
      self.journalPath = journalPath
      self.endpoints = endpoints
      self.settings = settings
      self.uniqueID = uniqueID
      self.environment = environment
    }
  }
}
