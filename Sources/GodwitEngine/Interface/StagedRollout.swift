public import GodwitModel

public import struct Foundation.Date

/// A server's change of settings that has to prove itself: if the server is not reached within a day after it, the
/// settings of before come back.
public struct StagedRollout: Sendable, Hashable, Codable {
  public var endpoint: EndpointID
  /// When the settings of before come back.
  public var deadline: Date
  /// What was before, for each setting that was changed.
  public var before: [String: SettingValue]
  /// Those of them that a server had set before, too.
  public var byServer: Set<String> = []
}
