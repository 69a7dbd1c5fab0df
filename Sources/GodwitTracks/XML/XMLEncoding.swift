package import CExpat
package import Foundation

/// Names of encodings as XML declares them.
package enum XMLEncoding {
  /// The encodings of one byte a character beyond those that expat has built in.
  package static func named(_ name: String) -> String.Encoding? {
    switch name.lowercased() {
    case "iso-8859-2", "latin2": .isoLatin2
    case "windows-1250", "cp1250": .windowsCP1250
    case "windows-1251", "cp1251": .windowsCP1251
    case "windows-1252", "cp1252": .windowsCP1252
    case "windows-1253", "cp1253": .windowsCP1253
    case "windows-1254", "cp1254": .windowsCP1254
    case "macintosh", "macroman": .macOSRoman
    // For places and times, which are ASCII, every other encoding of this family means the same.
    case let other where other.hasPrefix("iso-8859-") || other.hasPrefix("windows-") || other.hasPrefix("koi8"):
      .isoLatin1
    default: nil
    }
  }

  /// Encodings of one byte a character that expat does not know: Foundation reports what each byte means.
  package static let unknown: XML_UnknownEncodingHandler = { _, name, info in
    guard let name, let info else { return 0 }
    guard let encoding = named(String(cString: name)) else { return 0 }
    withUnsafeMutablePointer(to: &info.pointee.map) { map in
      map.withMemoryRebound(to: Int32.self, capacity: 256) { map in
        for byte in 0..<256 {
          let scalar = String(data: Data([UInt8(byte)]), encoding: encoding)?.unicodeScalars.first
          map[byte] = scalar.map { Int32($0.value) } ?? -1
        }
      }
    }
    info.pointee.data = nil
    info.pointee.convert = nil
    info.pointee.release = nil
    return 1
  }
}
