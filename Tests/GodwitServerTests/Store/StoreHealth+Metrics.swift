import GodwitServices
import GodwitStore

extension StoreHealth {
  /// The metrics of the store in Prometheus text format.
  var metrics: String {
    var metrics = MetricsText()
    write(to: &metrics)
    return metrics.text
  }
}
