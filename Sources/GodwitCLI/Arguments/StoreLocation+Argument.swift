internal import GodwitServer
internal import GodwitStore

extension StoreLocation: ArgumentValue {
  init(argument: String) throws(UsageError) {
    do throws(StoreLocationError) { self = try StoreLocation(argument) } catch {
      throw UsageError("\"\(StoreLocation.shown(argument))\": \(error)")
    }
  }
}
