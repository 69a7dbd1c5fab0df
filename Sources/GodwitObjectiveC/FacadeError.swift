public import Foundation
internal import Godwit

/// The SDK's errors as `NSError` for Objective-C, which matches numbers.
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

  /// Converts an error of the SDK.
  /// - Parameter error: the error.
  public static func nsError(_ error: any Error) -> NSError {
    let error = GodwitError(error)
    return NSError(domain: domain, code: code(of: error).rawValue, userInfo: [NSLocalizedDescriptionKey: error.message])
  }

  private static func code(of error: GodwitError) -> Code {
    switch error.code {
    case .missingUsageDescription: .missingUsageDescription
    case .invalidEndpoint: .invalidEndpoint
    case .invalidSetting: .invalidSetting
    case .noLocation, .notStarted: .noLocation
    default: error.code.category == .storage ? .journal : .other
    }
  }
}
