import Foundation
import Testing

@testable import GodwitText
@testable import GodwitWire

private let type = #"multipart/form-data; boundary="xx--y""#

private func form(_ text: String, _ type: String = type) throws -> MultipartForm {
  try MultipartForm(Array(text.utf8), contentType: type)
}

/// Returns a part of a form.
private func part(_ name: String, _ value: String, file: String? = nil, type: String? = nil) -> String {
  let more = (file.map { "; filename=\"\($0)\"" } ?? "") + "\r\n" + (type.map { "Content-Type: \($0)\r\n" } ?? "")
  return "--xx--y\r\nContent-Disposition: form-data; name=\"\(name)\"\(more)\r\n\(value)\r\n"
}

@Suite("Multipart forms")
struct MultipartFormTests {
  @Test("text parts are fields in order; a file part has name, type and size, with any content")
  func parts() throws {
    let photo = "\u{1}\r\n--xx--\r\n--xx-y\r\n\r\nname=\"lat\"\r\n"
    let read = try form(
      part("action", "addpos", type: "text/plain; charset=utf-8") + part("lat", "46.05") + part("empty", "")
        + part("image", photo, file: "a \\\"b\\\".jpg", type: "image/jpeg") + part("note", "two\r\nlines\r\n")
        + "--xx--y--\r\nmore")
    #expect(read.fields.map(\.name) == ["action", "lat", "empty", "note"])
    #expect(read.fields.map(\.value) == ["addpos", "46.05", "", "two\r\nlines\r\n"])
    #expect(read.files == [MultipartForm.File(name: "image", type: "image/jpeg", size: photo.utf8.count)])
  }

  @Test(
    "line feeds alone, text before the first part, and spaces after the boundary are accepted; quotation marks are optional",
    arguments: [
      ("--b\nContent-Disposition: form-data; name=\"lat\"\n\n46\n--b--", "multipart/form-data; boundary=b"),
      (
        "hello\r\n--b \t\r\ncontent-disposition:form-data;name=lat\r\n\r\n46\r\n--b--\r\n",
        "multipart/form-data;charset=utf-8;boundary=b"
      ),
      ("--b\r\nContent-Disposition: form-data; NAME=lat\r\n\r\n46\r\n--b--", "Multipart/Form-Data; BOUNDARY=\"b\""),
    ])
  func lossy(_ text: String, _ type: String) throws {
    let read = try form(text, type)
    #expect(read.fields.map { "\($0.name)=\($0.value)" } == ["lat=46"])
  }

  @Test(
    "anything else is rejected with its position",
    arguments: [
      ("", type, "boundary"), ("--xx--y", type, "inside the headers"), (part("a", "b"), type, #"inside the part "a""#),
      ("--xx--y\r\n\r\nx\r\n--xx--y--", type, "no name"), (part("a", "b"), "multipart/form-data", "names no boundary"),
      (part("a", "b"), "multipart/form-data; boundary=\(String(repeating: "z", count: 71))", "names no boundary"),
      ("--xx--yz\r\n", type, "end of the line"), ("--xx--y\r\nno header\r\n\r\n", type, "expected a header"),
      ("--xx--y\r\nContent-Disposition: form-data; name=\"a\"\r\n\r\nb", type, #"inside the part "a""#),
      ("--xx--y\r\nA: \(String(repeating: "z", count: 9000))\r\n\r\nb", type, "more than 8192 bytes"),
      (String(repeating: "z", count: 9000) + "\r\n--xx--y--", type, "not in the body"),
      (part("a", String(repeating: "z", count: 65537)) + "--xx--y--", type, "more than 65536 bytes"),
      (String(repeating: part("a", "b"), count: 257) + "--xx--y--", type, "at most 256 parts"),
    ])
  func rejected(_ text: String, _ type: String, _ reason: String) {
    let error = #expect(throws: FormatError.self) { try form(text, type) }
    #expect(error?.reason.contains(reason) == true, "\(error.map { "\($0)" } ?? "")")
  }
}
