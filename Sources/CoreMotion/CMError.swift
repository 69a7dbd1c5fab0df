// swift-format-ignore-file: AlwaysUseLowerCamelCase

package import Foundation

// Names and values are Apple's (Core Motion, CMError.h). As on Apple's systems they are not Swift errors: a handler receives an
// `NSError` of ``CMErrorDomain`` whose code is for example `Int(CMErrorNotAvailable.rawValue)`.

/// The code of an error of Core Motion.
public struct CMError: RawRepresentable, Hashable, Sendable {
  public var rawValue: UInt32
  public init(_ rawValue: UInt32) { self.rawValue = rawValue }
  public init(rawValue: UInt32) { self.rawValue = rawValue }

  /// Returns the error for handlers.
  /// - Parameter reason: a sentence about what was wrong and what to do.
  package func error(_ reason: String) -> NSError {
    NSError(domain: CMErrorDomain, code: Int(rawValue), userInfo: [NSLocalizedDescriptionKey: reason])
  }
}

public let CMErrorDomain = "CMErrorDomain"
public let CMErrorNULL = CMError(100)
public let CMErrorDeviceRequiresMovement = CMError(101)
public let CMErrorTrueNorthNotAvailable = CMError(102)
public let CMErrorUnknown = CMError(103)
public let CMErrorMotionActivityNotAvailable = CMError(104)
public let CMErrorMotionActivityNotAuthorized = CMError(105)
public let CMErrorMotionActivityNotEntitled = CMError(106)
public let CMErrorInvalidParameter = CMError(107)
public let CMErrorInvalidAction = CMError(108)
public let CMErrorNotAvailable = CMError(109)
public let CMErrorNotEntitled = CMError(110)
public let CMErrorNotAuthorized = CMError(111)
