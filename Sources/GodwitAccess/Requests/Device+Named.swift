package import GodwitHTTP
package import GodwitStore

extension Device {
  /// Returns the device with a name.
  /// - Throws: `Problem` if the device does not exist, or the store fails.
  package static func named(_ name: String, in store: any StoreDatabase) throws(Problem) -> Device {
    let found: Device?
    do { found = try store.device(named: name) } catch {
      throw Problem.unavailable("Store not readable", error)
    }
    guard let found else { throw unknown(name) }
    return found
  }

  package static func unknown(_ name: String) -> Problem {
    Problem(404, "Unknown device", "No device is called \"\(name)\". /api/v1/devices lists all devices.")
  }
}
