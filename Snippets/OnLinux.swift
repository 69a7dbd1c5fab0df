// The program in Documentation/Linux.md: a tracker that reports the state of its machine. It is compiled with every build.
import CoreLocation
import Foundation
import Godwit

#if os(Linux)
  // snippet.hide
  let journalPath = FileManager.default.temporaryDirectory.appendingPathComponent("linux.journal").path
  var configuration = Tracker.Configuration(journalPath: journalPath, endpoints: [])
  let sensor = LocationSensor(manager: CLLocationManager())
  // snippet.show
  let notifier = DesktopNotifier { line in print(line) }
  configuration.notifier = notifier
  let tracker = try Tracker(configuration: configuration, sensor: sensor)
  try await withThrowingTaskGroup(of: Void.self) { group in
    group.addTask { try await tracker.run() }
    group.addTask { await DeviceMonitor().run(updating: tracker) { part in print(part.text) } }
    group.addTask { await notifier.run(answering: { tracker.respond($0) }) }
    try await group.waitForAll()
  }
#endif
