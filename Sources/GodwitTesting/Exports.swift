// `import GodwitTesting` is all that a test writes: the phone, its world and the SDK come with it. Core Location does not: a
// test that has managers of its own imports it by name, as the code that it tests.
@_exported public import Godwit
@_exported public import GodwitPhone
@_exported public import GodwitSimulator
