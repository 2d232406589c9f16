"""The faults that the kernel can return for each system call, and why: from the manual pages of section 2 and 7.

A row applies to a system call on a kind of object. `calls.kind` returns the kind: a file, a directory or a path of a
disk; `kernel`, a file below /proc or /sys; `socket`, `pipe`, and the `anon` objects of the kernel, such as an epoll instance.
`*` is any kind. `SHORT` is a read or write of one byte. `close` always closes; its errors are made by the shim, which closes
and then reports them.
"""
SHORT = "SHORT"

# A signal handler interrupts what waits (signal(7)); epoll_wait and inotify even without one, after SIGSTOP and SIGCONT.
INTERRUPTED = "EINTR"
# The kernel's memory for an object, a path or a buffer.
MEMORY = "ENOMEM"

# System call: kinds and faults, the first kind that fits.
FAULTS: dict[str, dict[str, tuple[str, ...]]] = {
    # EINTR of files: on FUSE and NFS, a read or write waits like one of a socket.
    "read": {
        "kernel": ("EINTR", "EIO", "ENOMEM", SHORT), "file": ("EINTR", "EIO", SHORT), "socket": ("EINTR", SHORT),
        "pipe": ("EINTR", SHORT), "anon": ("EINTR", "EAGAIN")},
    "pread64": {"file": ("EINTR", "EIO"), "kernel": ("EIO",)},
    "readv": {"socket": ("EINTR",), "file": ("EINTR", "EIO")},
    # A pipe or eventfd is full only if its reader has been woken, so EAGAIN without that is not a fault of the kernel, and
    # an eventfd waits for nothing else. Pipes take up to 4,096 bytes as a whole.
    "write": {
        "kernel": ("EINTR", "EIO", "ENOMEM"), "file": ("EINTR", "EIO", "ENOSPC", SHORT),
        "socket": ("EINTR", "EAGAIN", "ENOMEM", SHORT), "pipe": ("EINTR",)},
    "writev": {"socket": ("EINTR", "EAGAIN", "ENOMEM"), "file": ("EINTR", "EIO", "ENOSPC"), "pipe": ("EINTR",)},
    "pwrite64": {"file": ("EINTR", "EIO", "ENOSPC")},
    # No EAGAIN for streams that have something to read: the kernel does not say so, and reports no other edge to epoll.
    "recvfrom": {"socket": ("EINTR", "ENOMEM", SHORT)},
    "recvmsg": {"socket": ("EINTR", "ENOMEM", SHORT)},
    "sendto": {"socket": ("EINTR", "EAGAIN", "ENOMEM", SHORT)},
    "sendmsg": {"socket": ("EINTR", "EAGAIN", "ENOMEM", SHORT)},
    # The process or the system has no descriptors (EMFILE; ENFILE is treated alike), or the kernel no memory.
    "openat": {
        "kernel": ("EMFILE", "ENOMEM", "EIO"), "created": ("EINTR", "EMFILE", "ENOMEM", "EIO", "ENOSPC"),
        "*": ("EINTR", "EMFILE", "ENOMEM", "EIO")},
    "accept4": {"*": ("EINTR", "EAGAIN", "EMFILE", "ENOMEM")},
    "accept": {"*": ("EINTR", "EAGAIN", "EMFILE", "ENOMEM")},
    "socket": {"*": ("EMFILE", "ENOMEM")},
    "socketpair": {"*": ("EMFILE", "ENOMEM")},
    # A Unix socket's queue is full (EAGAIN), and its file needs an inode (ENOSPC, EIO).
    "connect": {"*": ("EINTR", "EAGAIN")},
    "bind": {"*": ("ENOMEM", "ENOSPC", "EIO")},
    "getsockopt": {"pidfd": ("EMFILE",), "*": (MEMORY,)},
    "setsockopt": {"*": (MEMORY,)},
    "epoll_create1": {"*": ("EMFILE", "ENOMEM")},
    "epoll_ctl": {"add": ("ENOMEM", "ENOSPC")},
    "epoll_wait": {"*": (INTERRUPTED,)},
    "epoll_pwait": {"*": (INTERRUPTED,)},
    "epoll_pwait2": {"*": (INTERRUPTED,)},
    "poll": {"*": ("EINTR", "ENOMEM")},
    "ppoll": {"*": ("EINTR", "ENOMEM")},
    "select": {"*": ("EINTR", "ENOMEM")},
    "pselect6": {"*": ("EINTR", "ENOMEM")},
    "clock_nanosleep": {"*": (INTERRUPTED,)},
    "eventfd2": {"*": ("EMFILE", "ENOMEM")},
    "timerfd_create": {"*": ("EMFILE", "ENOMEM")},
    "signalfd4": {"*": ("EMFILE", "ENOMEM")},
    "inotify_init1": {"*": ("EMFILE", "ENOMEM")},
    "inotify_add_watch": {"*": ("ENOMEM", "ENOSPC")},
    "memfd_create": {"*": ("EMFILE", "ENOMEM")},
    "pidfd_open": {"*": ("EMFILE", "ENOMEM")},
    "pidfd_send_signal": {},
    "pipe2": {"*": ("EMFILE",)},
    "dup": {"*": ("EMFILE",)},
    "fcntl": {"dup": ("EMFILE",), "lock": ("EAGAIN", "EINTR")},
    "flock": {"*": ("EINTR", "EAGAIN", "ENOMEM")},
    # Changes of a directory: the disk is broken or full; a full, journaled disk also refuses removals.
    "mkdir": {"*": ("ENOMEM", "ENOSPC", "EIO")},
    "unlink": {"*": ("ENOMEM", "ENOSPC", "EIO")},
    "unlinkat": {"*": ("ENOMEM", "ENOSPC", "EIO")},
    "rename": {"*": ("ENOMEM", "ENOSPC", "EIO")},
    "renameat2": {"*": ("ENOMEM", "ENOSPC", "EIO")},
    "fsync": {"*": ("EINTR", "EIO", "ENOSPC")},
    "fdatasync": {"*": ("EINTR", "EIO", "ENOSPC")},
    "ftruncate": {"*": ("EINTR", "EIO")},
    "fallocate": {"*": ("EINTR", "EIO", "ENOSPC")},
    "chmod": {"*": ("ENOMEM", "EIO")},
    "fchmod": {"*": ("EIO",)},
    "fchmodat": {"*": ("ENOMEM", "EIO")},
    "newfstatat": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "statx": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "stat": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "lstat": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "access": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "faccessat2": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "readlink": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "readlinkat": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "getdents64": {"kernel": (MEMORY,), "*": ("ENOMEM", "EIO")},
    "getcwd": {"*": (MEMORY,)},
    "getrandom": {"*": (INTERRUPTED,)},
    # Processes and threads: the limit of processes (EAGAIN), and memory.
    "clone": {"*": ("EAGAIN", "ENOMEM")},
    "clone3": {"*": ("EAGAIN", "ENOMEM")},
    "vfork": {"*": ("EAGAIN", "ENOMEM")},
    # Not execve: strace counts it in each child, so every attempt would fail.
    "wait4": {"waiting": (INTERRUPTED,)},
    "waitid": {"waiting": (INTERRUPTED,)},
    "close": {"file": ("EINTR", "EIO", "ENOSPC"), "*": (INTERRUPTED,)},
    # Memory of the process. No Swift program survives it: its runtime ends the process if malloc fails. Only the next start
    # is checked.
    "brk": {"*": (MEMORY,)},
    "mmap": {"anonymous": (MEMORY,), "*": ("ENOMEM", "EAGAIN")},
    "mremap": {"*": (MEMORY,)},
    "munmap": {"*": (MEMORY,)},
    "mprotect": {"*": (MEMORY,)},
}
# After a fault of these calls, a program may end by a signal.
FATAL = {"brk", "mmap", "mremap", "munmap", "mprotect"}


def faults(syscall: str, kind: str) -> tuple[str, ...]:
    """Returns the faults of a call; none for a call that cannot fail in these ways, such as getpid."""
    row = FAULTS.get(syscall, {})
    return row.get(kind, row.get("*", ()))
