import CoreLocation
import Foundation
import Godwit

/// The settings of a walk.
public let walkSettings: Settings = {
  var settings = Settings()
  settings.apply(.adaptive)
  settings.main.minimumDistance = 10
  return settings
}()
