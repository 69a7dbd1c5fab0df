import Foundation
import GodwitModel
import TestTexts
import Testing

@testable import GodwitText
@testable import GodwitWire

private let now = Date(timeIntervalSince1970: 1_795_163_400)

@Suite("OwnTracks: other messages")
struct OwnTracksOthersTests {
  @Test("members are removed by name, also from nested objects and arrays")
  func withoutMembers() throws {
    let text = #"{"a":[{"password":"x","b":1},[{"password":"y"}], 2,"z",[]],"password":"p","c":{"password":[1],"d":null}}"#
    let kept = try OwnTracks.text(of: Array(text.utf8), without: ["password"])
    #expect(kept == #"{"a":[{"b":1},[{}],2,"z",[]],"c":{"d":null}}"#)
  }

  @Test(
    "times in seconds since 2001 are corrected if plausible, and marked",
    arguments: [
      (816_856_200.0, 1_795_163_400.0, true), (1_795_163_400, 1_795_163_400, false), (816_856_200 + 86_401, 816_942_601, false),
      (283_996_799, 283_996_799, false), (283_996_800, 1_262_304_000, true), (1_262_304_000, 1_262_304_000, false), (1, 1, false),
    ] as [(Double, Double, Bool)])
  func repaired(_ reported: Double, _ time: Double, _ isRepaired: Bool) throws {
    let text = Array(#"{"_type":"location","lat":1,"lon":2,"tst":\#(reported)}"#.utf8)
    let record = try OwnTracks.readLocation(text, received: now)
    #expect(record.time == Date(timeIntervalSince1970: time) && OwnTracks.isRepaired(record) == isRepaired)
    #expect(
      try OwnTracks.readLocation(text).time == Date(timeIntervalSince1970: reported), "only if the time of receipt is known")
  }

  @Test("an action has its time and keeps the rest, and without a time it has the time of receipt")
  func actions() throws {
    let record = try OwnTracks.readAction(
      Array(#"{"steps":12,"_type":"steps","tst":1795163000,"distance":null}"#.utf8), received: now)
    #expect(record.kind == .action(Action(time: Date(timeIntervalSince1970: 1_795_163_000), name: "steps")))
    #expect(record.extras == #"{"steps":12,"distance":null}"#)
    #expect(try OwnTracks.readAction(Array(#"{"_type":"lwt"}"#.utf8), received: now).time == now)
    for text in ["{}", #"{"_type":"lwt","tst":"x"}"#, "[]", ""] {
      #expect(throws: FormatError.self) { try OwnTracks.readAction(Array(text.utf8), received: now) }
    }
  }

  @Test("a card round-trips, with the tid of the positions")
  func cards() throws {
    let card = try OwnTracks.readCard(Array(#"{"_type":"card","name":"Žane \"J\"","face":"iVBOR","tid":"zj","x":1}"#.utf8))
    #expect(card == OwnTracks.Card(name: #"Žane "J""#, face: "iVBOR", tid: "zj"))
    let text = written { OwnTracks.write(card, tid: "an", into: &$0) }
    #expect(try OwnTracks.readCard(Array(text.utf8)) == OwnTracks.Card(name: card.name, face: card.face, tid: "an"))
    #expect(written { OwnTracks.write(OwnTracks.Card(), tid: "x", into: &$0) } == #"{"_type":"card","tid":"x"}"#)
  }

  @Test("secrets are removed from a device's reported settings, at any depth")
  func secrets() throws {
    let text = #"{"a":1,"password":"S","b":{"c":[1],"password":{"d":2},"e":{"password":null}},"f":"password"}"#
    #expect(
      try OwnTracks.text(of: Array(text.utf8), without: ["password"]) == #"{"a":1,"b":{"c":[1],"e":{}},"f":"password"}"#)
  }

  @Test("the data of an encrypted message are Base64, and other text is rejected")
  func boxes() throws {
    let text = written { OwnTracks.writeEncrypted([1, 2, 255], into: &$0) }
    #expect(text == #"{"_type":"encrypted","data":"AQL/"}"#)
    #expect(try OwnTracks.readEncrypted(Array(text.utf8)) == [1, 2, 255])
    for text in [#"{"_type":"encrypted"}"#, #"{"data":7}"#, #"{"data":"A"}"#] {
      #expect(throws: FormatError.self) { try OwnTracks.readEncrypted(Array(text.utf8)) }
    }
  }

  @Test("random damage to a message does not crash the decoder", arguments: [1, 2, 3, 4])
  func mutated(_ seed: UInt64) {
    let texts = [
      #"{"_type":"steps","tst":1795163000,"steps":12,"from":1,"to":2}"#,
      #"{"_type":"card","name":"Jane","face":"iVBOR","tid":"jn"}"#,
      #"{"_type":"encrypted","data":"AAECAwQFBgcICQoLDA0ODxAREhMUFRYX"}"#,
      #"{"_type":"cmd","action":"setWaypoints","waypoints":{"_type":"waypoints","waypoints":[{"desc":"a"}]}}"#,
      #"{"_type":"dump","configuration":{"password":"S","a":{"b":1}}}"#,
      #"{"_type":"location","lat":46,"lon":14.5,"tst":816856200,"acc":12,"batt":-100,"image":"AAAA"}"#,
    ].map { Array($0.utf8) }
    var mutations = Mutations(seed: seed)
    for round in 0..<6000 {
      let text = mutations.damaged(texts[round % texts.count])
      _ = try? OwnTracks.readAction(text, received: now)
      _ = try? OwnTracks.readCard(text)
      _ = try? OwnTracks.readEncrypted(text)
      for made in [
        (try? OwnTracks.command(text)).map { String(decoding: $0, as: UTF8.self) },
        try? OwnTracks.text(of: text, without: ["password"]),
      ].compactMap(\.self) {
        #expect((try? OwnTracks.messages(Array(made.utf8))) != nil, "it is JSON: \(made)")
      }
      if let record = try? OwnTracks.readLocation(text, received: now) {
        #expect(TimestampParser.validTimes.contains(record.time.millisecondsSince1970))
      }
    }
  }
}
