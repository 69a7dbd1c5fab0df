import FenceCity
import Foundation
import GodwitPhone
import GodwitSimulator
import Synchronization

// Lives many days in cities of 5,000 fences, the app ended at random, and says what was missed: one line of JSON. Fails where
// anything was.
//
//     FenceDays [DAYS [SYSTEM]]

let days = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 10_000
let system = CommandLine.arguments.dropFirst(2).first.flatMap(SystemVersion.init(rawValue:)) ?? .usual
let total = try FenceDays(days, on: system).live()
print(try total.json())
for line in total.faults { FileHandle.standardError.write(Data("\(line)\n".utf8)) }
exit(total.faults.isEmpty ? 0 : 1)
