public import Foundation

/// The reason why location pushes are unavailable. Names and values are Apple's.
public struct CLLocationPushServiceError: CustomNSError, Hashable, Sendable {
  public enum Code: Int, Sendable {
    case unknown = 0
    case missingPushExtension = 1
    case missingPushServerEnvironment = 2
    case missingEntitlement = 3
    case unsupportedPlatform = 4
  }

  public let code: Code

  public init(_ code: Code) { self.code = code }

  public static var errorDomain: String { "CLLocationPushServiceErrorDomain" }
  public var errorCode: Int { code.rawValue }
}
