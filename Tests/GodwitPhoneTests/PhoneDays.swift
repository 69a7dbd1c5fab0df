import Foundation
import Godwit
import GodwitHTTPClient
import GodwitModel
import GodwitSimulator
@_exported import TestDays

@testable import GodwitPhone

/// Settings with which the tracker records every position of the system.
func everything() -> Settings {
  var settings = Settings()
  settings.apply(.highResolution)
  return settings
}

/// The apps of these tests send no requests.
final class NoServer: SimulatedServer {
  func respond(_ request: HTTPClient.Request, at time: Date) -> HTTPClient.Response { HTTPClient.Response(status: 404, body: []) }
}
