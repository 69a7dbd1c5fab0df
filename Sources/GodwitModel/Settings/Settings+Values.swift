/// The types of the values, by names that an app can write with `import Godwit` alone.
extension Settings {
  /// What is recorded outside of trips.
  public typealias Location = LocationSettings
  /// What replaces it during a trip.
  public typealias DuringTrip = TripSettings
  /// Values for a purpose, all at once: see ``apply(_:)``.
  public typealias Preset = GodwitModel.Preset
  public typealias TrackingPolicy = GodwitModel.TrackingPolicy
  public typealias TrackingMode = GodwitModel.TrackingMode
  public typealias DesiredAccuracy = GodwitModel.DesiredAccuracy
  public typealias ActivityType = GodwitModel.ActivityType
  public typealias LoggingMode = GodwitModel.LoggingMode
  /// The permission that is requested.
  public typealias Permission = WantedAuthorization
  /// The members of a record.
  public typealias Fields = CollectingFields
  public typealias WifiZone = GodwitModel.WifiZone
}
