public import GodwitModel

public import struct Foundation.Date

/// A change of settings by a server that needs confirmation. If the server is not reached within a day after the change, the
/// earlier settings are restored.
public struct StagedRollout: Sendable, Hashable, Codable {
  public var endpoint: EndpointID
  /// The time at which the earlier settings are restored.
  public var deadline: Date
  /// The earlier value of each changed setting.
  public var before: [String: SettingValue]
  /// Those of the changed settings whose earlier value was also set by a server.
  public var byServer: Set<String> = []
}
