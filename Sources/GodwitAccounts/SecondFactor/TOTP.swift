internal import CGnuTLS
internal import CSodium
package import Foundation
internal import GodwitModel
internal import GodwitSecrets
internal import GodwitStore

/// Time-based one-time codes (RFC 6238) with the parameters that every authenticator app supports: HMAC-SHA-1, six digits,
/// steps of 30 seconds.
package struct TOTP: Sendable {
  /// Bytes of a secret: the length that RFC 4226 (section 4, R6) recommends.
  package static let secretLength = 20
  /// Digits of a code.
  package static let digits = 6
  /// Seconds of a step.
  package static let period: Int64 = 30
  /// Steps before and after the current one whose codes are accepted: clocks differ (RFC 6238, section 5.2).
  package static let window: Int64 = 1

  package let secret: [UInt8]

  package init(secret: [UInt8]) { self.secret = secret }

  /// A new random secret.
  package init() {
    var random = [UInt8](repeating: 0, count: Self.secretLength)
    randombytes_buf(&random, random.count)
    secret = random
  }

  /// Returns the number of the step that contains a time; 0 before 1970.
  package static func step(at time: Date) -> Int64 { max(0, time.millisecondsSince1970 / (period * 1000)) }

  /// Returns the code of a step.
  /// - Parameters:
  ///   - step: the number of the step, see ``step(at:)``.
  ///   - digits: 6 to 9.
  /// - Returns: ASCII digits.
  /// - Throws: ``TOTPError`` if GnuTLS does not permit SHA-1.
  package func code(atStep step: Int64, digits: Int = TOTP.digits) throws(TOTPError) -> [UInt8] {
    let counter = withUnsafeBytes(of: UInt64(bitPattern: step).bigEndian) { Array($0) }
    var digest = [UInt8](repeating: 0, count: 20)
    let result = gnutls_hmac_fast(GNUTLS_MAC_SHA1, secret, secret.count, counter, counter.count, &digest)
    guard result == 0 else { throw TOTPError(code: result) }
    // RFC 4226, section 5.3: the last four bits are the offset of the 31 bits.
    let offset = Int(digest[19] & 15)
    var number = digest[offset..<(offset + 4)].reduce(UInt32(0)) { $0 << 8 | UInt32($1) } & 0x7FFF_FFFF
    var code = [UInt8](repeating: 0, count: digits)
    for place in code.indices.reversed() {
      code[place] = UInt8(ascii: "0") + UInt8(number % 10)
      number /= 10
    }
    return code
  }

  /// Returns the step of an entered code.
  /// - Parameters:
  ///   - code: the entered code, without white space.
  ///   - time: the time of the entry.
  ///   - last: the newest step whose code was accepted. Codes of this step and of older steps are rejected, so that a code
  ///     cannot be used twice.
  /// - Returns: `nil` if the code is wrong. The comparison takes constant time.
  /// - Throws: ``TOTPError``.
  package func step(of code: String, at time: Date, after last: Int64) throws(TOTPError) -> Int64? {
    let entered = Array(code.utf8)
    guard entered.count == Self.digits else { return nil }
    let now = Self.step(at: time)
    var accepted: Int64?
    for step in max(0, now - Self.window)...(now + Self.window) {
      let isSame = AccessToken.isSame(try self.code(atStep: step), entered)
      if isSame, step > last, accepted == nil { accepted = step }
    }
    return accepted
  }

  /// Returns the URL that an authenticator app reads from a QR code.
  /// - Parameters:
  ///   - user: the user's name.
  ///   - host: the host of the server, which distinguishes several servers; `nil`: unknown.
  package func address(user: String, host: String?) -> String {
    let account = host.map { "\(user)@\($0)" } ?? user
    return "otpauth://totp/Godwit:\(Self.encoded(account))?secret=\(Base32.encode(secret))&issuer=Godwit&algorithm=SHA1"
      + "&digits=\(Self.digits)&period=\(Self.period)"
  }

  /// Percent-encodes all but RFC 3986's unreserved characters.
  private static func encoded(_ text: String) -> String {
    let digits = Array("0123456789ABCDEF".utf8)
    var encoded: [UInt8] = []
    for byte in text.utf8 {
      switch byte {
      case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"),
        UInt8(ascii: "-"), UInt8(ascii: "."), UInt8(ascii: "_"), UInt8(ascii: "~"):
        encoded.append(byte)
      default: encoded += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: encoded, as: UTF8.self)
  }
}

/// The error if GnuTLS cannot compute codes.
package struct TOTPError: Error, CustomStringConvertible {
  /// GnuTLS's error number.
  package let code: Int32
  package var description: String { "GnuTLS rejects HMAC-SHA-1, which codes of a second factor need: error \(code)." }
}
