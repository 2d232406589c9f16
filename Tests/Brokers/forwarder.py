"""Forwards messages from one ZeroMQ socket to another until it is killed: forwarder.py PUBLISHERS SUBSCRIBERS."""
import ctypes
import sys

# Constants of zmq.h, and a number of sockets that suffices.
MAX_SOCKETS, XPUB, XSUB = 2, 9, 10
SOCKETS = 20_000

library = ctypes.CDLL("libzmq.so.5")
library.zmq_ctx_new.restype = library.zmq_socket.restype = ctypes.c_void_p
context = ctypes.c_void_p(library.zmq_ctx_new())
library.zmq_ctx_set(context, MAX_SOCKETS, SOCKETS)
ends = [ctypes.c_void_p(library.zmq_socket(context, kind)) for kind in (XSUB, XPUB)]
for end, path in zip(ends, sys.argv[1:]):
    if library.zmq_bind(end, b"ipc://" + path.encode()) != 0:
        sys.exit(f"zmq_bind failed on {path}")
library.zmq_proxy(*ends, None)
