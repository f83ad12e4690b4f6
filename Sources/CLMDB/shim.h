#ifndef HOLDFAST_CLMDB_SHIM_H
#define HOLDFAST_CLMDB_SHIM_H
#include <errno.h>
#include <lmdb.h>
#include <fcntl.h>
#include <stdint.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

/* What the system says of a file. `struct stat` belongs to no one module on Linux, so Swift's rules
   for imports cannot be kept with it. */
struct holdfast_file {
  uint64_t device;
  uint64_t inode;
  int64_t size;
  uint32_t permissions;
  int is_folder;
  int is_file;
};

static inline int holdfast_file_fill(int result, const struct stat *status,
                                     struct holdfast_file *file) {
  if (result != 0) return errno;
  file->device = (uint64_t)status->st_dev;
  file->inode = (uint64_t)status->st_ino;
  file->size = (int64_t)status->st_size;
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
