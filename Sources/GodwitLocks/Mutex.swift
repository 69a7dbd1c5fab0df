#if canImport(Darwin)
  internal import Darwin

  /// A value behind a lock, with the interface of `Synchronization.Mutex`, which needs iOS 18. It is not recursive.
  ///
  /// `@unchecked Sendable`: the value is reached only while the lock is held, and given and taken as `sending`.
  package struct Mutex<Value>: ~Copyable, @unchecked Sendable {
    private let lock: UnsafeMutablePointer<os_unfair_lock_s>
    private let value: UnsafeMutablePointer<Value>

    package init(_ initialValue: consuming sending Value) {
      // At an address of its own: the system knows the lock by it.
      lock = .allocate(capacity: 1)
      lock.initialize(to: os_unfair_lock_s())
      value = .allocate(capacity: 1)
      value.initialize(to: initialValue)
    }

    deinit {
      value.deinitialize(count: 1)
      value.deallocate()
      lock.deinitialize(count: 1)
      lock.deallocate()
    }

    package borrowing func withLock<Result: ~Copyable, Failure: Error>(
      _ body: (inout sending Value) throws(Failure) -> sending Result
    ) throws(Failure) -> sending Result {
      os_unfair_lock_lock(lock)
      defer { os_unfair_lock_unlock(lock) }
      return try body(&value.pointee)
    }
  }
#else
  // The standard library's: it needs no allocation.
  @_exported public import Synchronization
#endif
