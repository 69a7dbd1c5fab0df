package import Foundation
internal import GodwitModel

/// A value that can be parsed from a word of the command line.
package protocol ArgumentValue {
  /// - Throws: ``UsageError`` with the error and the expected value. The caller adds the name of the option.
  init(argument: String) throws(UsageError)
}

/// A declared argument, for the parser and the help.
@MainActor
package protocol DeclaredArgument {
  var declaration: Declaration { get }
  /// Parses a word; `nil` for a flag without a value.
  func parse(_ word: String?) throws(UsageError)
  /// The error if a required argument is missing; otherwise `nil`.
  var missing: String? { get }
  /// Whether the argument has a value other than its default.
  var isGiven: Bool { get }
}

/// Options that several commands share. A command declares the group as a property. The parser and the help treat its options like
/// those of the command.
@MainActor
package protocol OptionGroup {}

package struct Declaration {
  package enum Form {
    case option(value: String)
    case flag
    case operands(value: String)
  }
  package var name: String
  package var form: Form
  package var help: String
  /// Whether the argument accepts several values.
  package var isRepeatable = false
  /// An option that replaces this one on the command line. If it is given there, the values of this option in the environment and
  /// in the configuration file are ignored.
  package var replacement: String?

  /// Whether the argument is an option or a flag, and not an operand.
  var isOption: Bool { if case .operands = form { false } else { true } }
}

/// `--name VALUE`, or `--name=VALUE`.
@MainActor
@propertyWrapper
package struct Option<Value: ArgumentValue>: DeclaredArgument {
  private final class Box { var value: Value? }
  private let box = Box()
  private let standard: Value?
  package let declaration: Declaration

  /// Creates an option with a default. `shown` is the default in the help text.
  package init(_ name: String, _ value: String, default standard: Value, shown: String, _ help: String) {
    self.standard = standard
    declaration = Declaration(name: name, form: .option(value: value), help: "\(help) (default: \(shown))")
  }

  /// Creates a required option.
  package init(_ name: String, _ value: String, _ help: String) {
    standard = nil
    declaration = Declaration(name: name, form: .option(value: value), help: help)
  }

  package var wrappedValue: Value {
    // The parser rejects a command line without a required option, so that a value exists here.
    guard let value = box.value ?? standard else { preconditionFailure("--\(declaration.name) was not checked") }
    return value
  }

  package var missing: String? { box.value == nil && standard == nil ? "--\(declaration.name) is required" : nil }
  package var isGiven: Bool { box.value != nil }

  package func parse(_ word: String?) throws(UsageError) { box.value = try Value(argument: word ?? "") }
}

/// An optional `--name VALUE`.
@MainActor
@propertyWrapper
package struct OptionalOption<Value: ArgumentValue>: DeclaredArgument {
  private final class Box { var value: Value? }
  private let box = Box()
  package let declaration: Declaration

  /// - Parameter replacement: An option that replaces this one on the command line; see ``Declaration/replacement``.
  package init(_ name: String, _ value: String, replacedBy replacement: String? = nil, _ help: String) {
    declaration = Declaration(name: name, form: .option(value: value), help: help, replacement: replacement)
  }

  package var wrappedValue: Value? { box.value }
  package var missing: String? { nil }
  package var isGiven: Bool { box.value != nil }
  package func parse(_ word: String?) throws(UsageError) { box.value = try Value(argument: word ?? "") }
}

/// `--name VALUE` that can be given several times.
@MainActor
@propertyWrapper
package struct ManyOptions<Value: ArgumentValue>: DeclaredArgument {
  private final class Box { var value: [Value] = [] }
  private let box = Box()
  private let isNeeded: Bool
  package let declaration: Declaration

  package init(_ name: String, _ value: String, isNeeded: Bool = false, _ help: String) {
    self.isNeeded = isNeeded
    declaration = Declaration(name: name, form: .option(value: value), help: help, isRepeatable: true)
  }

  package var wrappedValue: [Value] { box.value }
  package var missing: String? { isNeeded && box.value.isEmpty ? "--\(declaration.name) is required" : nil }
  package var isGiven: Bool { !box.value.isEmpty }
  package func parse(_ word: String?) throws(UsageError) { box.value.append(try Value(argument: word ?? "")) }
}

/// `--name`; in a configuration file and the environment `true` or `false`.
@MainActor
@propertyWrapper
package struct Flag: DeclaredArgument {
  private final class Box { var value: Bool? }
  private let box = Box()
  package let declaration: Declaration

  package init(_ name: String, _ help: String) { declaration = Declaration(name: name, form: .flag, help: help) }

  package var wrappedValue: Bool { box.value ?? false }
  package var missing: String? { nil }
  package var isGiven: Bool { box.value != nil }

  package func parse(_ word: String?) throws(UsageError) {
    switch word?.lowercased() {
    case nil, "true", "yes", "on", "1": box.value = true
    case "false", "no", "off", "0": box.value = false
    case let word?: throw UsageError("\"\(word)\" is neither true nor false")
    }
  }
}

/// Operands: words without a leading dash.
@MainActor
@propertyWrapper
package struct Operands: DeclaredArgument {
  private final class Box { var value: [String] = [] }
  private let box = Box()
  private let count: ClosedRange<Int>
  package let declaration: Declaration

  package init(_ name: String, _ count: ClosedRange<Int>, _ help: String) {
    self.count = count
    declaration = Declaration(name: name, form: .operands(value: name), help: help)
  }

  package var wrappedValue: [String] { box.value }
  package var missing: String? {
    guard box.value.count < count.lowerBound else { return nil }
    return count.lowerBound > 1 ? "expected \(count.lowerBound) arguments: \(declaration.name)" : "\(declaration.name) is missing"
  }
  package var isGiven: Bool { !box.value.isEmpty }

  package func parse(_ word: String?) throws(UsageError) {
    guard let word else { return }
    guard box.value.count < count.upperBound else { throw UsageError("\"\(word)\" is an unexpected argument") }
    box.value.append(word)
  }
}

extension String: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard !argument.isEmpty else { throw UsageError("is empty") }
    self = argument
  }
}

extension Int: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    guard let number = Int(argument), number >= 0 else {
      throw UsageError("\"\(argument)\" is not a whole number of at least 0")
    }
    self = number
  }
}

extension Date: ArgumentValue {
  package init(argument: String) throws(UsageError) {
    if let date = RFC3339.date(argument) ?? RFC3339.date(argument + "T00:00:00Z") {
      self = date
    } else {
      throw UsageError("\"\(argument)\" is not a time; write 2026-11-20 or 2026-11-20T08:30:00Z")
    }
  }
}
