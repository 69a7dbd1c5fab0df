import Foundation
import GodwitAccounts
import TestClient
import Testing

@testable import GodwitAPI
@testable import GodwitServer

@Suite("Texts of the pages in other languages")
struct PageTextTests {
  private static let texts = [
    "Save": "Sichern", "Open the <a>timeline</a>.": "Die <a>Chronik</a> öffnen.",
    "One <b>two</b> <a>three</a>": "<a>3</a> <b>2</b> 1",
    "Account": "Konto", "Password, tokens": "Passwort", "Settings": "Einstellungen", "Add a \"tag\"": "Etikett „neu\"",
    "Earlier & later": "Früher", "Follow": "Folgen", "Places": "Orte", "Regions": "Gebiete",
  ]

  @Test(
    "replace those of blocks and attributes, and keep tags, attributes and spaces",
    arguments: [
      ("<button id=\"x\">Save</button>", "<button id=\"x\">Sichern</button>"),
      ("<p>\n  Save\n</p>", "<p>\n  Sichern\n</p>"),
      ("<p>Open\n the <a href=\"/t\">timeline</a>.</p>", "<p>Die <a href=\"/t\">Chronik</a> öffnen.</p>"),
      ("<p>One <b class=\"b\">two</b> <a href=\"/\">three</a></p>", "<p><a href=\"/\">3</a> <b class=\"b\">2</b> 1</p>"),
      // Elements beside each other, one alone, and one around a block.
      (
        "<div><a href=\"/p\">Places</a>\n<a href=\"/r\">Regions</a></div>",
        "<div><a href=\"/p\">Orte</a>\n<a href=\"/r\">Gebiete</a></div>"
      ),
      ("<li><a href=\"/a\">Account</a></li>", "<li><a href=\"/a\">Konto</a></li>"),
      (
        "<a href=\"/\"><svg><title>Save</title></svg><span>Places</span></a>",
        "<a href=\"/\"><svg><title>Save</title></svg><span>Orte</span></a>"
      ),
      ("<label><input type=\"checkbox\" checked> Follow</label>", "<label><input type=\"checkbox\" checked> Folgen</label>"),
      ("<title>Settings – Godwit</title>", "<title>Einstellungen – Godwit</title>"),
      (
        "<input aria-label=\"Save\" title=\"Save\" value=\"Save\">",
        "<input aria-label=\"Sichern\" title=\"Sichern\" value=\"Save\">"
      ),
      // What has no translation, no letters, or says that it has none.
      ("<p>Unknown <b>text</b></p>", "<p>Unknown <b>text</b></p>"),
      ("<p>– &nbsp; ‹</p>", "<p>– &nbsp; ‹</p>"),
      (
        "<option translate=\"no\">Save</option><option>Save</option>",
        "<option translate=\"no\">Save</option><option>Sichern</option>"
      ),
      (
        "<pre>Save</pre><!-- Save --><script>Save</script><code>Save</code>",
        "<pre>Save</pre><!-- Save --><script>Save</script><code>Save</code>"
      ),
      // Damaged markup stays as it is.
      ("<p>Save</b></p>", "<p>Sichern</b></p>"), ("Save <", "Save <"), ("<p>Save", "<p>Sichern"),
    ])
  func replaced(_ page: String, _ expected: String) {
    #expect(PageMarkup { Self.texts[$0] }.replaced(page) == expected)
  }

  @Test("with a quotation mark do not end an attribute")
  func quotes() {
    let found = PageMarkup { _ in "a\"b" }.replaced(#"<input placeholder="Save">"#)
    #expect(found == #"<input placeholder="a&quot;b">"#)
  }

  @Test("every page has each of its texts in each table", arguments: Preferences.Language.allCases.filter { $0 != .english })
  func complete(_ language: Preferences.Language) throws {
    let table = TranslatedPages.texts(of: try #require(Pages.files[TranslatedPages.path(of: language)]))
    var count = 0
    for (path, bytes) in Pages.files where path.hasSuffix(".html") {
      _ = PageMarkup { key in
        count += 1
        // Attributes may have no words, such as an example of coordinates.
        #expect(table[key] != nil || !key.contains(where: \.isLetter), "\(path): \(key)")
        return nil
      }.replaced(String(decoding: bytes, as: UTF8.self))
    }
    #expect(count > 200)
  }

  @Test(
    "are those of the first language that the browser accepts and the pages have",
    arguments: [
      ("de-AT,de;q=0.9,en;q=0.8", Preferences.Language.german), ("en-GB,en;q=0.9,de;q=0.8", .english), ("sl", .slovenian),
      ("ja,fr;q=0.5,es;q=0.4", .french), ("es;q=0.1,fr;q=0", .spanish), ("ja", .english), ("", .english), ("*", .english),
      ("de;q=x", .english), (",;,;q=1", .english),
    ])
  func accepted(_ header: String, _ language: Preferences.Language) {
    #expect(PageView.language(acceptedBy: header) == language)
  }

  @Test("follow the browser until a user chooses a language")
  func chosen() async throws {
    try await AccountServer.with { server in
      let anna = try await server.session(of: server.user("anna"))
      let german = ["Accept-Language": "de-AT,de;q=0.9"]
      let page = server.send("GET", "/settings", as: anna, headers: german)
      #expect(
        page.text.contains(#"<html lang="de" data-units="metric">"#) && page.headers["vary"]?.contains("Accept-Language") == true)
      #expect(page.text.contains(#"<link rel="modulepreload" href="/texts-de.js">"#))
      #expect(server.send("GET", "/s/nothing", headers: german).text.contains(#"<html lang="de" data-units="metric">"#))
      #expect(
        server.send("PUT", "/api/v1/preferences", as: anna, body: #"{"language":"sl"}"#).object["language"] as? String == "sl")
      #expect(server.send("GET", "/settings", as: anna, headers: german).text.contains(#"<html lang="sl""#))
      // A share is the same for all users.
      #expect(server.send("GET", "/s/nothing", as: anna, headers: german).text.contains(#"<html lang="de" data-units="metric">"#))
      #expect(server.send("PUT", "/api/v1/preferences", as: anna, body: "{}").object["language"] is NSNull)
      #expect(server.send("GET", "/settings", as: anna).text.contains(#"<html lang="en""#))
    }
  }
}
