// As on Apple's systems, `import CoreLocation` brings Foundation with it. On Linux it shows the sources of positions as well.
@_exported public import Foundation
@_exported public import GodwitReceivers
