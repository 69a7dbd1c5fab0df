/// Aliases of the value types, for apps that import only `Godwit`.
extension Settings {
  /// The settings outside of trips.
  public typealias Location = LocationSettings
  /// The settings that replace them during a trip.
  public typealias DuringTrip = TripSettings
  /// Settings for a purpose: see ``apply(_:)``.
  public typealias Preset = GodwitModel.Preset
  public typealias TrackingPolicy = GodwitModel.TrackingPolicy
  public typealias TrackingMode = GodwitModel.TrackingMode
  public typealias DesiredAccuracy = GodwitModel.DesiredAccuracy
  public typealias ActivityType = GodwitModel.ActivityType
  public typealias LoggingMode = GodwitModel.LoggingMode
  /// The permission to request.
  public typealias Permission = WantedAuthorization
  /// The fields of a record that are collected.
  public typealias Fields = CollectingFields
  public typealias WifiZone = GodwitModel.WifiZone
}
