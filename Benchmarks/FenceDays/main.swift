import FenceCity
import Foundation
import GodwitPhone
import GodwitSimulator
import Synchronization

// Simulates many days in cities of 5,000 geofences, in which the app is ended at random, and prints the missed events as one line of
// JSON. Fails if an event was missed.
//
//     FenceDays [DAYS [SYSTEM]]
//     FenceDays --life NUMBER TIME FENCE… [SYSTEM]    reports what happened in a life around a time, such as 3d17:27:48

func printError(_ line: String) { FileHandle.standardError.write(Data("\(line)\n".utf8)) }

let arguments = Array(CommandLine.arguments.dropFirst())
if arguments.first == "--life" {
  guard arguments.count > 2, let number = Int(arguments[1]), number >= 0, let time = CityLife.time(arguments[2]) else {
    printError("FenceDays: --life needs the number of a life, a time such as 3d17:27:48, and names of fences")
    exit(2)
  }
  let words = arguments.dropFirst(3)
  let system = words.compactMap(SystemVersion.init(rawValue:)).first ?? .usual
  try GeofenceDays(GeofenceDays.life, on: system).report(life: number, around: time, fences: Array(words)) { print($0) }
  exit(0)
}
let days = arguments.first.flatMap { Int($0) } ?? 10_000
let system = arguments.dropFirst().first.flatMap(SystemVersion.init(rawValue:)) ?? .usual
let total = try GeofenceDays(days, on: system).run()
print(try total.json())
for line in total.faults { printError(line) }
exit(total.faults.isEmpty ? 0 : 1)
