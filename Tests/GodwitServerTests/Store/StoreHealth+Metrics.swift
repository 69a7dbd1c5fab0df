import GodwitServices
import GodwitStore

extension StoreHealth {
  /// The state of the store as Prometheus reads it.
  var metrics: String {
    var metrics = MetricsText()
    write(to: &metrics)
    return metrics.text
  }
}
