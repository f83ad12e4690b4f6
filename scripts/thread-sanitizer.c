/* Tells the thread sanitizer of Swift's Mutex on Linux.
 *
 * Where nobody waits, Mutex locks by an atomic operation that is compiled into the program, and the sanitizer sees
 * it. Where somebody waits, it locks and unlocks in libswiftSynchronization, which is built without the
 * sanitizer: everything done under such a lock then looks like a race. This library stands before these
 * two functions and says what they do. It hides nothing else. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdint.h>

/* Weak, so that programs without the sanitizer can be started with this too. */
extern void __tsan_acquire(void *) __attribute__((weak));
extern void __tsan_release(void *) __attribute__((weak));

#define SWIFT __attribute__((swiftcall))
#define SELF __attribute__((swift_context)) void *self
/* Synchronization._MutexHandle._lockSlow(Swift.UInt32) -> () and _unlockSlow() -> () */
#define LOCK "$s15Synchronization12_MutexHandleV9_lockSlowyys6UInt32VF"
#define UNLOCK "$s15Synchronization12_MutexHandleV11_unlockSlowyyF"

SWIFT void lock_slowly(uint32_t thread, SELF) __asm__(LOCK);
SWIFT void lock_slowly(uint32_t thread, SELF) {
  static SWIFT void (*next)(uint32_t, SELF);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, LOCK);
  next(thread, self);
  if (__tsan_acquire) __tsan_acquire(self);
}

SWIFT void unlock_slowly(SELF) __asm__(UNLOCK);
SWIFT void unlock_slowly(SELF) {
  static SWIFT void (*next)(SELF);
  if (!next) *(void **)&next = dlsym(RTLD_NEXT, UNLOCK);
  if (__tsan_release) __tsan_release(self);
  next(self);
}
