internal import GodwitDeletion
internal import GodwitHTTP

extension DeviceIcon: DocumentedValue {}

extension DeviceChangeAPI {
  struct NameBody: BodyObject {
    let name: String

    static let kind = "name"
    static let notes: [String: JSONValue] = ["name": ["minLength": 1, "maxLength": 64]]
  }

  struct NamedDevice: ResultObject {
    var device: String
  }

  struct AppearanceBody: BodyObject {
    let color: String?
    let icon: String?

    static let kind = "look"
    static let notes: [String: JSONValue] = [
      "color": ["type": ["string", "null"], "pattern": "^#[0-9a-fA-F]{6}$", "description": "null: the page chooses."],
      "icon": [
        "type": ["string", "null"], "enum": .array(DeviceIcon.allCases.map { .string($0.rawValue) } + [.null]),
        "description": "null: none.",
      ],
    ]

    var look: DeviceAppearance {
      get throws(Problem) {
        var look = DeviceAppearance()
        if let color {
          guard let known = DeviceAppearance.color(color) else { throw Self.fault("color", "expected #rrggbb.") }
          look.color = known
        }
        if let icon {
          guard let known = DeviceIcon(rawValue: icon) else {
            let names = DeviceIcon.allCases.map(\.rawValue).joined(separator: ", ")
            throw Self.fault("icon", "expected one of \(names).")
          }
          look.icon = known
        }
        return look
      }
    }
  }

  struct Appearance: ResultObject {
    @Nullable var color: String?
    @Nullable var icon: String?

    static let schemaName: String? = "DeviceAppearance"
    init(_ look: DeviceAppearance) { (color, icon) = (look.color, look.icon?.rawValue) }
  }

  struct MergeBody: BodyObject {
    let into: String
    let dryRun: Bool?

    static let kind = "merge"
    static let notes: [String: JSONValue] = [
      "into": "The device that gets the data and the tokens.",
      "dry_run": ["description": "`true` returns how much would move, and changes nothing.", "default": false],
    ]
  }
}
