public import GodwitModel

public import struct Foundation.Date

/// A server's change of settings that needs confirmation: if the server is not reached within a day after it, the
/// earlier settings are restored.
public struct StagedRollout: Sendable, Hashable, Codable {
  public var endpoint: EndpointID
  /// When the earlier settings are restored.
  public var deadline: Date
  /// The earlier value of each changed setting.
  public var before: [String: SettingValue]
  /// Those of them that a server had also set before.
  public var byServer: Set<String> = []
}
