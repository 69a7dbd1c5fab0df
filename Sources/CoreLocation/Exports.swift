// As on Apple's systems, `import CoreLocation` also imports Foundation. On Linux it also imports the sources of positions.
@_exported public import Foundation
@_exported public import GodwitReceivers
