internal import Foundation
internal import Godwit
internal import GodwitCommandLine
internal import GodwitEngine
internal import GodwitModel

/// The configuration of `godwit track`, written by `godwit setup` or by hand:
/// `{"endpoints": […], "settings": {…}, "regions": {…}}`.
struct TrackerFile {
  var endpoints: [Endpoint]
  var settings: Settings
  /// `nil` if no regions are monitored.
  var regions: RegionOptions?

  static var standard: String { DataFolder.standard + "/tracker.json" }

  /// Members of the file. No setting has one of these names.
  private static let members = ["endpoints", "settings", "regions"]

  /// Reads the settings of a tracker's file, or of a file that has only settings.
  /// - Throws: ``Failure`` with the file, the member or setting, and the expected value.
  static func settings(in path: String, over base: Settings = Settings()) throws -> Settings {
    let content = try JSONMembers(file: path)
    let isTrackerFile = members.contains { content.has($0) }
    return isTrackerFile ? try TrackerFile(path: path, over: base).settings : try SettingsFile.read(path, over: base)
  }

  /// - Throws: ``Failure`` with the file, the member and the expected value.
  init(path: String, over base: Settings = Settings()) throws {
    let members = try JSONMembers(file: path)
    try members.refuse(allBut: Self.members)
    endpoints = try (members.list("endpoints") ?? []).map { try EndpointReader.read($0) }
    var seen: Set<EndpointID> = []
    for endpoint in endpoints where !seen.insert(endpoint.id).inserted {
      throw Failure("\(path): two endpoints have the id \"\(endpoint.id)\". Give one of them another \"id\".")
    }
    settings = base
    if let object = try members.members("settings") {
      try SettingsFile.apply(object.all, to: &settings, place: object.place)
    }
    regions = try RegionOptions(members, "regions")
  }
}
