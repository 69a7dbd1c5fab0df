#if canImport(ObjectiveC)
  // Not compiled where there is no Objective-C: kept thin. Everything here only passes on.
  public import Foundation
  internal import GodwitDelivery
  internal import GodwitEngine
  internal import GodwitModel
  internal import GodwitWire

  /// What a ``GWTracker`` is made with.
  @objc(GWConfiguration)
  public final class GWConfiguration: NSObject {
    /// Where records go.
    @objc public let endpoints: [GWEndpoint]
    /// The journal's file; its folder must be one that the system does not empty.
    @objc public var journalPath: String
    /// Seconds between two sends; six hours unless it is changed.
    @objc public var transmissionInterval: TimeInterval = 6 * 3600
    /// Whether permission is asked for only while the app is in use, which gives far fewer records.
    @objc public var onlyWhenInUse = false
    /// Whether activities and steps are read, for which the system asks the person. A Mac has no motion chip.
    @objc public var usesMotion = false
    /// The name of the endpoint whose server has the regions that are watched over: a Godwit server, whose address ends with
    /// `/api/overland`; `nil`: none are.
    @objc public var regionsEndpoint: String?
    /// Regions have one of these; empty: whatever their tags.
    @objc public var regionTags: [String] = []
    /// Regions have none of these.
    @objc public var regionTagsLeftOut: [String] = []
    /// Whether regions are watched over also while tracking is off.
    @objc public var watchesRegionsWithoutTracking = false
    /// Further settings, by the names and words of Documentation/Settings.md.
    @objc public var settings: [String: String] = [:]

    /// - Parameters:
    ///   - endpoints: where records go.
    ///   - journalPath: the journal's file.
    @objc public init(endpoints: [GWEndpoint], journalPath: String) {
      self.endpoints = endpoints
      self.journalPath = journalPath
    }

    func value() throws -> Tracker.Configuration {
      let settings = try FacadeSettings(
        transmissionInterval: transmissionInterval, onlyWhenInUse: onlyWhenInUse, words: settings)
      var endpoints = try endpoints.map { try Endpoint(name: $0.name, address: $0.url, headers: $0.headers, format: $0.format) }
      for index in endpoints.indices { endpoints[index].interval = settings.interval }
      var configuration = Tracker.Configuration(journalPath: journalPath, endpoints: endpoints, settings: settings.value)
      configuration.regions = try regionsEndpoint.map {
        let regions = FacadeRegions(
          endpoint: $0, tags: regionTags, without: regionTagsLeftOut, isIndependent: watchesRegionsWithoutTracking)
        return try regions.configuration(among: endpoints)
      }
      return configuration
    }
  }

  /// A server.
  @objc(GWEndpoint)
  public final class GWEndpoint: NSObject {
    /// Names what the server has got; keep it when the address changes.
    @objc public let name: String
    /// Its address.
    @objc public let url: String
    /// Of every request.
    @objc public let headers: [String: String]
    /// "openlocate", "overland", "owntracks" and so on.
    @objc public let format: String

    /// - Parameters:
    ///   - name: one of its own.
    ///   - url: its address.
    ///   - headers: of every request, such as `Authorization`.
    ///   - format: what the server understands.
    @objc public init(name: String, url: String, headers: [String: String], format: String) {
      self.name = name
      self.url = url
      self.headers = headers
      self.format = format
    }
  }

  /// A place and when it was measured.
  @objc(GWLocation)
  public final class GWLocation: NSObject, Sendable {
    /// Degrees.
    @objc public let latitude: Double
    @objc public let longitude: Double
    @objc public let timestamp: Date
    /// Metres; negative: not known, or not collected. The same holds for what follows.
    @objc public let horizontalAccuracy: Double
    @objc public let verticalAccuracy: Double
    /// Metres above mean sea level; meaningless where the vertical accuracy is negative.
    @objc public let altitude: Double
    /// Degrees clockwise from true north.
    @objc public let course: Double
    /// Metres per second.
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
