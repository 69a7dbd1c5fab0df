/// Metrics in the text format of Prometheus, version 0.0.4.
package struct MetricsText: Sendable {
  package enum Kind: String, Sendable {
    case counter, gauge
  }

  /// A value with its labels.
  package struct Sample: Sendable {
    let labels: [(name: String, value: String)]
    let value: Int

    /// - Parameters:
    ///   - labels: names and values. A value may contain any characters.
    ///   - value: the value.
    package init(_ labels: KeyValuePairs<String, String>, _ value: Int) {
      self.labels = labels.map { (name: $0.key, value: $0.value) }
      self.value = value
    }
  }

  /// The text of all added metrics.
  package private(set) var text = ""

  package init() {}

  /// Adds a metric with all its samples.
  /// - Parameters:
  ///   - name: ends with the unit, followed by `_total` for a counter.
  ///   - kind: counter or gauge.
  ///   - help: one sentence without a line break.
  package mutating func add(_ name: String, _ kind: Kind, _ help: String, _ samples: [Sample]) {
    text += "# HELP \(name) \(help)\n# TYPE \(name) \(kind.rawValue)\n"
    for sample in samples {
      let labels = sample.labels.map { "\($0.name)=\"\(Self.escaped($0.value))\"" }.joined(separator: ",")
      text += "\(name)\(labels.isEmpty ? "" : "{\(labels)}") \(sample.value)\n"
    }
  }

  package mutating func counter(_ name: String, _ help: String, _ value: Int) {
    add(name, .counter, help, [Sample([:], value)])
  }

  package mutating func gauge(_ name: String, _ help: String, _ value: Int) {
    add(name, .gauge, help, [Sample([:], value)])
  }

  private static func escaped(_ value: String) -> String {
    value.replacing("\\", with: "\\\\").replacing("\"", with: "\\\"").replacing("\n", with: "\\n")
  }
}
