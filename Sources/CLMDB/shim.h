#ifndef HOLDFAST_CLMDB_SHIM_H
#define HOLDFAST_CLMDB_SHIM_H
#include <errno.h>
#include <lmdb.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <time.h>
#include <unistd.h>

/* What the system says of a file. `struct stat` belongs to no one module on Linux, so Swift's rules
   for imports cannot be kept with it. */
struct holdfast_file {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  /* When the content and when anything of it was last changed, in nanoseconds. */
  int64_t modified;
  int64_t changed;
  uint32_t permissions;
  int is_folder;
  int is_file;
};

static inline int64_t holdfast_nanoseconds(struct timespec time) {
  return (int64_t)time.tv_sec * 1000000000 + (int64_t)time.tv_nsec;
}

static inline int holdfast_file_fill(int result, const struct stat *status,
                                     struct holdfast_file *file) {
  if (result != 0) return errno;
  file->device = (uint64_t)status->st_dev;
  file->inode = (uint64_t)status->st_ino;
  file->size = (int64_t)status->st_size;
#if defined(__APPLE__)
  file->modified = holdfast_nanoseconds(status->st_mtimespec);
  file->changed = holdfast_nanoseconds(status->st_ctimespec);
#else
  file->modified = holdfast_nanoseconds(status->st_mtim);
  file->changed = holdfast_nanoseconds(status->st_ctim);
#endif
  file->permissions = (uint32_t)status->st_mode & 07777;
  file->is_folder = S_ISDIR(status->st_mode);
  file->is_file = S_ISREG(status->st_mode);
  return 0;
}

/* Examines the file at a path, through links. Returns 0 or an error number. */
static inline int holdfast_examine(const char *path, struct holdfast_file *file) {
  struct stat status;
  return holdfast_file_fill(stat(path, &status), &status, file);
}

/* Examines an open file. Returns 0 or an error number. */
static inline int holdfast_examine_open(int descriptor, struct holdfast_file *file) {
  struct stat status;
  return holdfast_file_fill(fstat(descriptor, &status), &status, file);
}

/* Gives an open file's content the present time, to the nanosecond: the system's own stamps are those
   of its last tick, so that two changes within one look alike. Returns 0 or an error number. */
static inline int holdfast_stamp(int descriptor) {
  struct timespec times[2] = {{0, UTIME_OMIT}, {0, 0}};
  if (clock_gettime(CLOCK_REALTIME, &times[1]) != 0) return errno;
  return futimens(descriptor, times) == 0 ? 0 : errno;
}

/* How many bytes the file system of an open file has left for this user; -1 if it does not say. */
static inline int64_t holdfast_room(int descriptor) {
  struct statvfs status;
  if (fstatvfs(descriptor, &status) != 0) return -1;
  return (int64_t)status.f_bavail * (int64_t)status.f_frsize;
}

/* Reserves the blocks of a file's first bytes, and creates it if it is missing, where the system can
   do so without writing to it. Returns 0 or an error number. */
static inline int holdfast_reserve(const char *path, int64_t size) {
#if defined(__linux__) && defined(FALLOC_FL_KEEP_SIZE)
  int descriptor = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK, 0644);
  if (descriptor < 0) return errno;
  int result = fallocate(descriptor, 0, 0, size) == 0 ? 0 : errno;
  close(descriptor);
  return result == ENOSPC || result == EDQUOT ? result : 0;
#else
  (void)path;
  (void)size;
  return 0;
#endif
}

/* Takes the lock by which LMDB knows that nobody else has a store open, on its open lock file. Closing
   any descriptor of that file lets it go. Returns 0 or an error number. */
static inline int holdfast_lock_alone(int descriptor) {
  struct flock lock = {0};
  lock.l_type = F_WRLCK;
  lock.l_whence = SEEK_SET;
  lock.l_len = 1;
  return fcntl(descriptor, F_SETLK, &lock) == 0 ? 0 : errno;
}
#endif
