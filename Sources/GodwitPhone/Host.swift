internal import CoreLocation

internal import struct Foundation.Date

/// The simulated phone as the host of the location services.
final class Host: LocationHost, @unchecked Sendable {
  // `@unchecked Sendable`: used on the phone's thread only.
  weak var phone: SimulatedPhone?
  private var outputs: [LocationServices.Output] = []
  private var wasAsked = false

  var now: Date { phone?.clock ?? .distantPast }
  var isListening = true

  func perform(_ call: @escaping @Sendable () -> Void) { phone?.running?.process.perform(call) }
  func carryOut(_ output: LocationServices.Output) { outputs.append(output) }
  func asked() { wasAsked = true }
  func receive(_ output: LocationServices.Output) { phone?.count(output) }

  var hasOutputs: Bool { !outputs.isEmpty }

  func takeOutputs() -> [LocationServices.Output] {
    guard !outputs.isEmpty else { return [] }
    defer { outputs.removeAll(keepingCapacity: true) }
    return outputs
  }

  func takeAsked() -> Bool {
    defer { wasAsked = false }
    return wasAsked
  }
}
