/// The ellipsoid of the ellipsoid method (Shor, Yudin and Nemirovski) in three dimensions. It contains the searched point and
/// becomes smaller with each cut.
struct Ellipsoid {
  private(set) var middle: [Double]
  /// The matrix of the ellipsoid, by rows.
  private var matrix: [[Double]]

  init(middle: [Double], radius: Double) {
    self.middle = middle
    matrix = middle.indices.map { row in middle.indices.map { $0 == row ? radius * radius : 0 } }
  }

  /// Returns the maximum rise of a linear function with this gradient from the centre of the ellipsoid to its boundary.
  func room(towards gradient: [Double]) -> Double { max(0, dot(gradient, image(gradient))).squareRoot() }

  /// Keeps the part in which a linear function with this gradient, 0 in the centre, is at least `depth`.
  /// - Returns: `false` if the cut leaves no part, or if the function is constant on the ellipsoid.
  mutating func cut(towards gradient: [Double], depth: Double) -> Bool {
    let room = room(towards: gradient)
    guard room > 1e-12 else { return false }
    let n = Double(middle.count)
    let alpha = max(0, depth / room)
    guard alpha < 1 else { return false }
    let direction = image(gradient).map { $0 / room }
    let move = (1 + n * alpha) / (n + 1)
    let scale = n * n / (n * n - 1) * (1 - alpha * alpha)
    let shrink = 2 * (1 + n * alpha) / ((n + 1) * (1 + alpha))
    for row in middle.indices {
      middle[row] += move * direction[row]
      for column in middle.indices {
        matrix[row][column] = scale * (matrix[row][column] - shrink * direction[row] * direction[column])
      }
    }
    return true
  }

  private func image(_ vector: [Double]) -> [Double] { matrix.map { dot($0, vector) } }
  private func dot(_ a: [Double], _ b: [Double]) -> Double { zip(a, b).reduce(0) { $0 + $1.0 * $1.1 } }
}
