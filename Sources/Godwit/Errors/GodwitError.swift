public import Foundation
internal import GodwitDelivery
internal import GodwitHTTPClient
internal import GodwitJournal
internal import GodwitModel
internal import GodwitSQLite

/// The error that the SDK throws.
///
///     do { try await tracker.start() } catch {
///       switch error.code {
///       case .journalInUse: show("Another instance is running.")
///       case _ where error.code.category == .configuration: show("This app is set up wrongly: \(error)")
///       default: show(error.description)
///       }
///     }
///
/// A cancelled task gets `CancellationError` instead, as everywhere in Swift.
public struct GodwitError: Error, Sendable {
  /// An error code that a program can match. New codes may be added, so a `switch` needs a `default`.
  public struct Code: RawRepresentable, Sendable, Hashable, CustomStringConvertible {
    /// The code as text, for example "journal_in_use". The text of a code never changes.
    public let rawValue: String
    public init(rawValue: String) { self.rawValue = rawValue }
    public var description: String { rawValue }
  }

  /// A group of codes, for a program that does not match single codes.
  public enum Category: String, Sendable, Hashable, CaseIterable {
    /// The app passed something invalid: an endpoint, a setting, a link, an Info.plist without a needed entry.
    case configuration
    /// A file on the device cannot be used: the journal, the regions, an event log, a recorded track.
    case storage
    /// There is no position, or no permission.
    case location
    /// The call is not valid in the current state of the tracker.
    case lifeCycle
    /// The network, or another error of the system.
    case other
  }

  /// The code of the error.
  public var code: Code
  /// One or two sentences for the user: what was wrong, where, and what to do. The text contains no token and no position.
  public var message: String
  /// The error that caused this one; `nil`: none.
  public var underlyingError: (any Error)?

  public init(_ code: Code, _ message: String, underlyingError: (any Error)? = nil) {
    self.code = code
    self.message = message
    self.underlyingError = underlyingError
  }
}

extension GodwitError.Code {
  /// An endpoint's name, address or format is invalid, or its server has no regions.
  public static let invalidEndpoint = Self(rawValue: "invalid_endpoint")
  /// A setting does not exist, or its value is invalid or may not be changed.
  public static let invalidSetting = Self(rawValue: "invalid_setting")
  /// The text is not a set-up link, or the link contains an invalid value.
  public static let invalidLink = Self(rawValue: "invalid_link")
  /// Info.plist lacks an entry; the message names it.
  public static let missingUsageDescription = Self(rawValue: "missing_usage_description")
  /// The configuration has regions, but the sensor cannot monitor regions.
  public static let missingRegionSensor = Self(rawValue: "missing_region_sensor")
  /// Another tracker uses the journal, in this process or in another one.
  public static let journalInUse = Self(rawValue: "journal_in_use")
  /// A program of another version wrote the file; the message names the versions that can read or convert it.
  public static let incompatibleFile = Self(rawValue: "incompatible_file")
  /// A file cannot be opened, read or written: no permission, no space, a damaged disk, a phone before its first unlock.
  public static let fileUnavailable = Self(rawValue: "file_unavailable")
  /// There is no position, or no permission.
  public static let noLocation = Self(rawValue: "no_location")
  /// The tracker was not started, so it has no position.
  public static let notStarted = Self(rawValue: "not_started")
  /// The tracker is already starting or running.
  public static let alreadyStarted = Self(rawValue: "already_started")
  /// The tracker was stopped; a new one is needed.
  public static let stopped = Self(rawValue: "stopped")
  /// Another error; see ``GodwitError/underlyingError``.
  public static let other = Self(rawValue: "other")

  /// All codes of this version.
  public static let all: [Self] = [
    .invalidEndpoint, .invalidSetting, .invalidLink, .missingUsageDescription, .missingRegionSensor, .journalInUse,
    .incompatibleFile, .fileUnavailable, .noLocation, .notStarted, .alreadyStarted, .stopped, .other,
  ]

  /// The category of the code; ``GodwitError/Category/other`` for an unknown code.
  public var category: GodwitError.Category {
    switch self {
    case .invalidEndpoint, .invalidSetting, .invalidLink, .missingUsageDescription, .missingRegionSensor: .configuration
    case .journalInUse, .incompatibleFile, .fileUnavailable: .storage
    case .noLocation: .location
    case .notStarted, .alreadyStarted, .stopped: .lifeCycle
    default: .other
    }
  }
}

extension GodwitError: CustomStringConvertible, LocalizedError {
  /// The message.
  public var description: String { message }
  public var errorDescription: String? { message }
}

/// Two errors are equal if their codes and messages are equal. The underlying errors are not compared.
extension GodwitError: Hashable {
  public static func == (one: Self, other: Self) -> Bool { one.code == other.code && one.message == other.message }
  public func hash(into hasher: inout Hasher) {
    hasher.combine(code)
    hasher.combine(message)
  }
}

extension GodwitError {
  /// Wraps an error of another module. A `GodwitError` stays as it is.
  /// - Parameter code: the code of an error whose type implies none.
  package init(_ error: any Error, _ code: Code = .other) {
    if let error = error as? GodwitError {
      self = error
      return
    }
    let known: Code =
      switch error {
      case is UsageDescriptions.Missing: .missingUsageDescription
      case is UnknownEndpointFormat: .invalidEndpoint
      case is SettingError: .invalidSetting
      case is JournalInUse: .journalInUse
      case is FormerSchemaError, is MigrationError: .incompatibleFile
      case is SQLiteError: .fileUnavailable
      default: code
      }
    self.init(known, "\(error)", underlyingError: error)
  }

  /// Runs a body and converts its errors to this type.
  package static func wrapping<Value>(_ code: Code = .other, _ body: () throws -> Value) throws(GodwitError) -> Value {
    do { return try body() } catch { throw GodwitError(error, code) }
  }
}
