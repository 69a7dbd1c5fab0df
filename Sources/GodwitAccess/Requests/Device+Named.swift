package import GodwitHTTP
package import GodwitStore

extension Device {
  /// The device of a name.
  /// - Throws: `Problem` where there is none, or the store does not answer.
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
