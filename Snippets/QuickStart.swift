// The program in the README: a tracker in an app. It is compiled with every build.
import CoreLocation
import Foundation
import Godwit

// snippet.hide
let journalPath = FileManager.default.temporaryDirectory.appendingPathComponent("quickstart.journal").path
// The literal is a valid URL.
let url = URL(string: "http://127.0.0.1:8080/api/overland")!
let token = "…"
// snippet.show
let tracker = try Tracker(
  configuration: Tracker.Configuration(
    journalPath: journalPath,
    endpoints: [Endpoint(id: "home", url: url, token: token)]),
  sensor: LocationSensor(manager: CLLocationManager()))
try await tracker.start()  // runs until the program ends
tracker.startTracking()  // records, also after the next launch
