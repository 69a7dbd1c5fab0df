internal import Foundation
internal import GodwitModel

/// What can be read from a word of the command line.
protocol ArgumentValue {
  /// - Throws: ``UsageError`` with what is wrong and what is expected; the name of the option is put before it.
  init(argument: String) throws(UsageError)
}

/// A declared argument, as the parser and the help see it.
@MainActor
protocol DeclaredArgument {
  var declaration: Declaration { get }
  /// Takes a word, or for a flag nothing.
  func take(_ word: String?) throws(UsageError)
  /// Why the command cannot run without it; `nil` when it can.
  var missing: String? { get }
}

/// Options that several commands share: a command declares the group as a property, and the parser and the help see each option
/// of it at that place.
@MainActor
protocol OptionGroup {}

struct Declaration {
  enum Form {
    case option(value: String)
    case flag
    case operands(value: String)
  }
  var name: String
  var form: Form
  var help: String
}

/// `--name VALUE`, or `--name=VALUE`.
@MainActor
@propertyWrapper
struct Option<Value: ArgumentValue>: DeclaredArgument {
  private final class Box { var value: Value? }
  private let box = Box()
  private let standard: Value?
  let declaration: Declaration

  /// An option with a default. `shown` is the default as the help says it.
  init(_ name: String, _ value: String, default standard: Value, shown: String, _ help: String) {
    self.standard = standard
    declaration = Declaration(name: name, form: .option(value: value), help: "\(help) (default: \(shown))")
  }

  /// An option that the command cannot do without.
  init(_ name: String, _ value: String, _ help: String) {
    standard = nil
    declaration = Declaration(name: name, form: .option(value: value), help: help)
  }

  var wrappedValue: Value {
    // The parser refuses a command line without a required option, so there is always a value here.
    guard let value = box.value ?? standard else { preconditionFailure("--\(declaration.name) was not checked") }
    return value
  }

  var missing: String? { box.value == nil && standard == nil ? "--\(declaration.name) is needed" : nil }

  func take(_ word: String?) throws(UsageError) { box.value = try Value(argument: word ?? "") }
}

/// `--name VALUE` that may be left out.
@MainActor
@propertyWrapper
struct OptionalOption<Value: ArgumentValue>: DeclaredArgument {
  private final class Box { var value: Value? }
  private let box = Box()
  let declaration: Declaration

  init(_ name: String, _ value: String, _ help: String) {
    declaration = Declaration(name: name, form: .option(value: value), help: help)
  }

  var wrappedValue: Value? { box.value }
  var missing: String? { nil }
  func take(_ word: String?) throws(UsageError) { box.value = try Value(argument: word ?? "") }
}

/// `--name VALUE` that may be given several times.
@MainActor
@propertyWrapper
struct ManyOptions<Value: ArgumentValue>: DeclaredArgument {
  private final class Box { var value: [Value] = [] }
  private let box = Box()
  private let isNeeded: Bool
  let declaration: Declaration

  init(_ name: String, _ value: String, isNeeded: Bool = false, _ help: String) {
    self.isNeeded = isNeeded
    declaration = Declaration(name: name, form: .option(value: value), help: help)
  }

  var wrappedValue: [Value] { box.value }
  var missing: String? { isNeeded && box.value.isEmpty ? "--\(declaration.name) is needed" : nil }
  func take(_ word: String?) throws(UsageError) { box.value.append(try Value(argument: word ?? "")) }
}

/// `--name`.
@MainActor
@propertyWrapper
struct Flag: DeclaredArgument {
  private final class Box { var value = false }
  private let box = Box()
  let declaration: Declaration

  init(_ name: String, _ help: String) { declaration = Declaration(name: name, form: .flag, help: help) }

  var wrappedValue: Bool { box.value }
  var missing: String? { nil }
  func take(_ word: String?) throws(UsageError) { box.value = true }
}

/// The words without a dash.
@MainActor
@propertyWrapper
struct Operands: DeclaredArgument {
  private final class Box { var value: [String] = [] }
  private let box = Box()
  private let count: ClosedRange<Int>
  let declaration: Declaration

  init(_ name: String, _ count: ClosedRange<Int>, _ help: String) {
    self.count = count
    declaration = Declaration(name: name, form: .operands(value: name), help: help)
  }

  var wrappedValue: [String] { box.value }
  var missing: String? { box.value.count < count.lowerBound ? "\(declaration.name) is missing" : nil }

  func take(_ word: String?) throws(UsageError) {
    guard let word else { return }
    guard box.value.count < count.upperBound else { throw UsageError("\"\(word)\" is one argument too many") }
    box.value.append(word)
  }
}

extension String: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard !argument.isEmpty else { throw UsageError("is empty") }
    self = argument
  }
}

extension Int: ArgumentValue {
  init(argument: String) throws(UsageError) {
    guard let number = Int(argument), number >= 0 else {
      throw UsageError("\"\(argument)\" is no whole number from 0 on")
    }
    self = number
  }
}

extension Date: ArgumentValue {
  init(argument: String) throws(UsageError) {
    if let date = RFC3339.date(argument) ?? RFC3339.date(argument + "T00:00:00Z") {
      self = date
    } else {
      throw UsageError("\"\(argument)\" is no time; write 2026-11-20 or 2026-11-20T08:30:00Z")
    }
  }
}
