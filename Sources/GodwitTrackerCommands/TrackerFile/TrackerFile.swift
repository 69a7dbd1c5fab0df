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

  /// - Throws: ``Failure`` with the file, the member and the expected value.
  init(path: String, over base: Settings = Settings()) throws {
    let members = try JSONMembers(file: path)
    try members.refuse(allBut: ["endpoints", "settings", "regions"])
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
