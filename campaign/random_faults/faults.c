/* Faults of calls of the C library: preload it, then `faults_arm(root, first, action, second, action)`.

   Calls that change files below `root` are counted, writes one after the other into a file as one; those with the numbers `first` and `second` fail with an
   error number (action > 0), or are the last before a kill (-1), or the first after which there is one (-2). A write that is killed before its end has
   written half. */
#define _GNU_SOURCE
#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

static char root[PATH_MAX];
static long number, at[2];
static int action[2];
static int written = -1; /* The descriptor of the last call if that was a write. */

void faults_arm(const char *folder, long first, int one, long second, int two) {
    strncpy(root, folder, sizeof root - 1);
    number = 0, written = -1;
    at[0] = first, at[1] = second, action[0] = one, action[1] = two;
}

long faults_counted(void) { return number; }

static int below(const char *path) { return root[0] && path && strncmp(path, root, strlen(root)) == 0; }

static int of_descriptor(int fd) {
    char link[64], path[PATH_MAX];
    if (!root[0]) return 0;
    snprintf(link, sizeof link, "/proc/self/fd/%d", fd);
    ssize_t size = readlink(link, path, sizeof path - 1);
    if (size < 0) return 0;
    path[size] = 0;
    return below(path);
}

static int of_place(int fd, const char *path) {
    if (!root[0] || !path) return 0;
    return path[0] == '/' ? below(path) : fd == AT_FDCWD ? 0 : of_descriptor(fd);
}

/* What to do at this call: 0 nothing, -2 kill after it, else the call fails. */
static int due(void) {
    long now = __sync_add_and_fetch(&number, 1);
    written = -1;
    for (int each = 0; each < 2; each++)
        if (at[each] == now) {
            if (action[each] == -1) kill(getpid(), SIGKILL);
            if (action[each] > 0) errno = action[each];
            return action[each];
        }
    return 0;
}

#define REAL(name) ((__typeof__(&name))dlsym(RTLD_NEXT, #name))
#define GUARDED(type, name, given, used, test)                 \
    type name given {                                          \
        int what = (test) ? due() : 0;                         \
        if (what > 0) return -1;                               \
        type result = REAL(name) used;                         \
        if (what == -2) kill(getpid(), SIGKILL);               \
        return result;                                         \
    }

GUARDED(int, fsync, (int fd), (fd), of_descriptor(fd))
GUARDED(int, fdatasync, (int fd), (fd), of_descriptor(fd))
GUARDED(int, ftruncate, (int fd, off_t size), (fd, size), of_descriptor(fd))
GUARDED(int, ftruncate64, (int fd, off64_t size), (fd, size), of_descriptor(fd))
GUARDED(int, rename, (const char *a, const char *b), (a, b), below(a) || below(b))
GUARDED(int, renameat, (int f, const char *a, int g, const char *b), (f, a, g, b), of_place(f, a) || of_place(g, b))
GUARDED(int, renameat2, (int f, const char *a, int g, const char *b, unsigned flags), (f, a, g, b, flags), of_place(f, a) || of_place(g, b))
GUARDED(int, link, (const char *a, const char *b), (a, b), below(a) || below(b))
GUARDED(int, linkat, (int f, const char *a, int g, const char *b, int flags), (f, a, g, b, flags), of_place(f, a) || of_place(g, b))
GUARDED(int, unlink, (const char *path), (path), below(path))
GUARDED(int, unlinkat, (int fd, const char *path, int flags), (fd, path, flags), of_place(fd, path))
GUARDED(int, rmdir, (const char *path), (path), below(path))
GUARDED(int, mkdir, (const char *path, mode_t mode), (path, mode), below(path))
GUARDED(int, mkdirat, (int fd, const char *path, mode_t mode), (fd, path, mode), of_place(fd, path))

ssize_t write(int fd, const void *data, size_t size) {
    if (fd == written || !of_descriptor(fd)) return REAL(write)(fd, data, size);
    long now = number + 1;
    for (int each = 0; each < 2; each++)
        if (at[each] == now && action[each] == -1 && size > 1) REAL(write)(fd, data, size / 2);
    int what = due();
    if (what > 0) return -1;
    written = fd;
    ssize_t result = REAL(write)(fd, data, size);
    if (what == -2) kill(getpid(), SIGKILL);
    return result;
}

static int opening(int fd, const char *path, int flags) {
    return (flags & (O_CREAT | O_WRONLY | O_RDWR)) && of_place(fd, path) ? due() : 0;
}

#define MODE(flags)                                            \
    mode_t mode = 0;                                           \
    if ((flags) & (O_CREAT | O_TMPFILE)) {                     \
        va_list more;                                          \
        va_start(more, flags);                                 \
        mode = va_arg(more, mode_t);                           \
        va_end(more);                                          \
    }

#define OPEN(name)                                             \
    int name(const char *path, int flags, ...) {               \
        MODE(flags)                                            \
        int what = opening(AT_FDCWD, path, flags);             \
        if (what > 0) return -1;                               \
        int result = REAL(name)(path, flags, mode);            \
        if (what == -2) kill(getpid(), SIGKILL);               \
        return result;                                         \
    }
#define OPENAT(name)                                           \
    int name(int fd, const char *path, int flags, ...) {       \
        MODE(flags)                                            \
        int what = opening(fd, path, flags);                   \
        if (what > 0) return -1;                               \
        int result = REAL(name)(fd, path, flags, mode);        \
        if (what == -2) kill(getpid(), SIGKILL);               \
        return result;                                         \
    }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)
