/// Numbers for `IN`, one parameter each. A distributed store can determine the workers of the listed devices from the parameters.
package struct NumberList {
  /// `(?, ?, …)`
  package let sql: String
  /// The numbers. The last one is repeated up to a power of two, so that lists of any length use few statements.
  package let arguments: [SQLArgument]

  /// - Parameter numbers: if empty, the list contains only NULL, which equals no value.
  package init(_ numbers: [Int64]) {
    var length = 1
    while length < numbers.count { length *= 2 }
    let last = numbers.last.map { SQLArgument.integer($0) } ?? .null
    arguments = numbers.map { .integer($0) } + Array(repeating: last, count: length - numbers.count)
    sql = "(" + arguments.map { _ in "?" }.joined(separator: ", ") + ")"
  }
}
