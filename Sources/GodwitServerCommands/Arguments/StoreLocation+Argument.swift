package import GodwitCommandLine
internal import GodwitServer
package import GodwitStore

extension StoreLocation: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    do throws(StoreLocationError) { self = try StoreLocation(argument) } catch {
      throw UsageError("\"\(StoreLocation.shown(argument))\": \(error)")
    }
  }
}
