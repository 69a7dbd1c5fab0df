public import Foundation
internal import GodwitDelivery
internal import GodwitEngine
internal import GodwitJournal
internal import GodwitModel
internal import GodwitSQLite
internal import GodwitWire

/// The SDK's errors as `NSError`, for callers that match numbers: Objective-C.
public struct FacadeError: Sendable {
  public static let domain = "GWTrackerErrorDomain"

  /// The kind of the error. The numbers are part of the interface and never change.
  public enum Code: Int, Sendable, CaseIterable {
    /// Another error; see the description.
    case other = 0
    /// Info.plist lacks an entry; the description names it.
    case missingUsageDescription = 1
    /// An endpoint's address or format is invalid.
    case invalidEndpoint = 2
    /// There is no position, or no permission.
    case noLocation = 3
    /// A setting's name or value is invalid.
    case invalidSetting = 4
    /// The journal cannot be opened: it is in use, or its folder cannot be written.
    case journal = 5
  }

  /// - Parameters:
  ///   - error: an error of the SDK.
  ///   - code: the code, if the caller knows a better one than the type of the error implies.
  public static func nsError(_ error: any Error, _ code: Code? = nil) -> NSError {
    let found: Code =
      switch error {
      case is UsageDescriptions.Missing: .missingUsageDescription
      case is EndpointError: .invalidEndpoint
      case is SettingError: .invalidSetting
      case is SQLiteError, is MigrationError, is JournalInUse: .journal
      default: code ?? .other
      }
    return NSError(
      domain: domain, code: found.rawValue,
      userInfo: [NSLocalizedDescriptionKey: "\(error)"])
  }
}

/// The error of an invalid endpoint.
public struct EndpointError: Error, Sendable, Hashable, CustomStringConvertible {
  /// A sentence.
  public let description: String
}

extension Endpoint {
  /// Creates an endpoint from text values, as they come from a file or from Objective-C.
  /// - Parameters:
  ///   - name: names its cursor in the journal.
  ///   - address: with `http` or `https`; may have placeholders such as `%LAT`.
  ///   - headers: of every request, such as `Authorization`.
  ///   - format: one of ``EndpointFormats/named``.
  public init(name: String, address: String, headers: [String: String] = [:], format: String) throws(EndpointError) {
    guard !name.isEmpty else { throw EndpointError(description: "An endpoint has no name. Give each one a name of its own.") }
    let template: URLTemplate
    do { template = try URLTemplate(address) } catch {
      throw EndpointError(description: "Endpoint \(name): \(error.reason).")
    }
    let known: any EndpointFormat
    do throws(UnknownEndpointFormat) { known = try EndpointFormats.format(named: format) } catch {
      throw EndpointError(description: "Endpoint \(name): \(error)")
    }
    self.init(id: EndpointID(name), address: template, headers: headers, format: known)
  }
}
