/// Detects kinds of files without records by their first bytes, as required by their specifications.
enum FileKind {
  private static let kinds: [(offset: Int, sign: [UInt8], name: String)] = [
    (0, Array("%PDF".utf8), "a PDF document"), (0, [0xFF, 0xD8, 0xFF], "a JPEG image"),
    (0, [0x89, 0x50, 0x4E, 0x47], "a PNG image"), (0, Array("GIF8".utf8), "a GIF image"),
    (0, Array("II*\0".utf8), "a TIFF image or a raw photo"), (0, Array("MM\0*".utf8), "a TIFF image or a raw photo"),
    (4, Array("ftyp".utf8), "a video, a HEIC image or an audio file (MP4, MOV)"),
    (0, Array("RIFF".utf8), "a video, an audio file or a WebP image"),
    (0, Array("SQLite format 3\0".utf8), "an SQLite database"), (0, Array("ID3".utf8), "an audio file (MP3)"),
    (0, Array("OggS".utf8), "an audio file (Ogg)"), (0, Array("fLaC".utf8), "an audio file (FLAC)"),
    (0, Array("Rar!".utf8), "a RAR archive; unpack it first"), (0, Array("bplist00".utf8), "an Apple binary property list"),
    (0, [0xD0, 0xCF, 0x11, 0xE0], "a document of an old Microsoft Office version; save the sheet as CSV"),
    (0, [0x7F, 0x45, 0x4C, 0x46], "a program"), (0, Array("MZ".utf8), "a Windows program"),
    (0, Array("DKGTC".utf8), "Garmin's GDB; export it as GPX"), (0, Array("MsRcf".utf8), "Garmin's GDB; export it as GPX"),
  ]

  /// - Returns: a description such as "a PDF document"; `nil` for an unknown kind.
  static func name(of head: [UInt8]) -> String? {
    kinds.first { head.count >= $0.offset + $0.sign.count && head[$0.offset...].starts(with: $0.sign) }?.name
  }

  /// Whether bytes are text: without control characters except white space.
  static func isText(_ bytes: some Sequence<UInt8>) -> Bool {
    !bytes.contains { $0 < 0x20 && ![0x09, 0x0A, 0x0C, 0x0D].contains($0) || $0 == 0x7F }
  }
}
