#if canImport(ObjectiveC)
  // Not compiled on systems without Objective-C, so it holds no decisions: everything here only forwards.
  public import Foundation
  internal import Godwit
  internal import GodwitDelivery
  internal import GodwitEngine
  internal import GodwitModel
  internal import GodwitWire

  /// The configuration of a ``GWTracker``.
  @objc(GWConfiguration)
  public final class GWConfiguration: NSObject {
    /// The servers that receive records.
    @objc public let endpoints: [GWEndpoint]
    /// The path of the journal; its folder must be one that the system does not empty.
    @objc public var journalPath: String
    /// Seconds between two uploads; the default is six hours.
    @objc public var transmissionInterval: TimeInterval = 6 * 3600
    /// Whether permission is requested only for use of the app, which results in far fewer records.
    @objc public var onlyWhenInUse = false
    /// Whether activities and steps are read, for which the system asks the user for permission. A Mac has no motion chip.
    @objc public var usesMotion = false
    /// The name of the endpoint whose server has the regions to monitor: a Godwit server, whose address ends with
    /// `/api/overland`. `nil`: no regions.
    @objc public var regionsEndpoint: String?
    /// Only regions with one of these tags; empty: all.
    @objc public var regionTags: [String] = []
    /// No regions with one of these tags.
    @objc public var regionTagsLeftOut: [String] = []
    /// Whether regions are monitored also while tracking is off.
    @objc public var watchesRegionsWithoutTracking = false
    /// The session for uploads that continue while the app is suspended; `nil`: a suspension interrupts uploads.
    @objc public var backgroundSession: GWBackgroundSession?
    /// Shows notices, if `settings` has "notifications" as "true"; `nil`: none are shown.
    @objc public var notificationCentre: GWNotificationCentre?
    /// The identifier of a background task that records a position from time to time. Info.plist must have it under
    /// `BGTaskSchedulerPermittedIdentifiers`, and `fetch` under `UIBackgroundModes`. `nil`: no such task; a Mac has none.
    @objc public var refreshIdentifier: String?
    /// Whether the tracker itself observes when the app becomes active, enters the background and ends. Then do not call
    /// `applicationDidBecomeActive` and `applicationWillTerminate`. A Mac has no such notifications.
    @objc public var observesApplication = false
    /// Whether model, system, battery, network and wifi of the device are observed.
    @objc public var observesDevice = false
    /// The key of the reason for exact positions in `NSLocationTemporaryUsageDescriptionDictionary`: a user who grants only
    /// approximate ones is asked while tracking is on. `nil`: the user is not asked.
    @objc public var fullAccuracyPurpose: String?
    /// Further settings, by the names and values of Documentation/Settings.md.
    @objc public var settings: [String: String] = [:]

    /// - Parameters:
    ///   - endpoints: the servers that receive records.
    ///   - journalPath: the path of the journal.
    @objc public init(endpoints: [GWEndpoint], journalPath: String) {
      self.endpoints = endpoints
      self.journalPath = journalPath
    }

    private func facade() throws(GodwitError) -> FacadeSettings {
      try FacadeSettings(transmissionInterval: transmissionInterval, onlyWhenInUse: onlyWhenInUse, words: settings)
    }

    /// The collected fields.
    var fields: CollectingFields { (try? facade())?.value.fields ?? .standard }

    func value() throws -> Tracker.Configuration {
      let settings = try facade()
      var endpoints = try endpoints.map { try Endpoint(name: $0.name, address: $0.url, headers: $0.headers, format: $0.format) }
      for index in endpoints.indices { endpoints[index].interval = settings.interval }
      var configuration = Tracker.Configuration(journalPath: journalPath, endpoints: endpoints, settings: settings.value)
      configuration.regions = try regionsEndpoint.map {
        let regions = FacadeRegions(
          endpoint: $0, tags: regionTags, without: regionTagsLeftOut, isIndependent: watchesRegionsWithoutTracking)
        return try regions.configuration(among: endpoints)
      }
      backgroundSession?.connect(&configuration)
      notificationCentre?.connect(&configuration)
      return configuration
    }
  }

  /// An endpoint: a server that receives records.
  @objc(GWEndpoint)
  public final class GWEndpoint: NSObject {
    /// The name of the endpoint and of its cursor in the journal. Keep it when the address changes.
    @objc public let name: String
    /// The address of the server.
    @objc public let url: String
    /// The headers of every request.
    @objc public let headers: [String: String]
    /// The name of the format: "openlocate", "overland", "owntracks" and so on.
    @objc public let format: String

    /// - Parameters:
    ///   - name: a unique name.
    ///   - url: the address.
    ///   - headers: the headers of every request, for example `Authorization`.
    ///   - format: the name of a format that the server supports.
    @objc public init(name: String, url: String, headers: [String: String], format: String) {
      self.name = name
      self.url = url
      self.headers = headers
      self.format = format
    }
  }

  /// A position and the time of its measurement.
  @objc(GWLocation)
  public final class GWLocation: NSObject, Sendable {
    /// The latitude in degrees.
    @objc public let latitude: Double
    @objc public let longitude: Double
    @objc public let timestamp: Date
    /// The horizontal accuracy in metres; negative: unknown, or not collected. The same applies to the following accuracy, to the
    /// course and to the speed.
    @objc public let horizontalAccuracy: Double
    @objc public let verticalAccuracy: Double
    /// The altitude in metres above mean sea level; 0: unknown, or not collected.
    @objc public let altitude: Double
    /// The course in degrees clockwise from true north.
    @objc public let course: Double
    /// The speed in metres per second.
    @objc public let speed: Double

    init(_ fix: Fix) {
      latitude = fix.coordinate.latitude
      longitude = fix.coordinate.longitude
      timestamp = fix.time
      horizontalAccuracy = fix.horizontalAccuracy ?? -1
      verticalAccuracy = fix.verticalAccuracy ?? -1
      altitude = fix.altitude ?? 0
      course = fix.course ?? -1
      speed = fix.speed ?? -1
    }

    convenience init?(_ record: Record) {
      guard case .fix(let fix) = record.kind else { return nil }
      self.init(fix)
    }
  }
#endif
