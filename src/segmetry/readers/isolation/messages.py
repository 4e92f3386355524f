"""Messages between this process and its children: pickles, with the elements of arrays beside them, uncopied.

Both ends are processes of this program on this machine; nothing that comes from a file is unpickled.
"""

from __future__ import annotations

import pickle
import struct
from typing import Any, BinaryIO

_LENGTH = struct.Struct("<Q")


def send_message(pipe: BinaryIO, message: Any) -> None:
    """Write a message: the number of its parts, their lengths, and the parts."""
    buffers: list[pickle.PickleBuffer] = []
    head = pickle.dumps(message, protocol=5, buffer_callback=buffers.append)
    parts = [memoryview(head), *(buffer.raw() for buffer in buffers)]
    pipe.write(_LENGTH.pack(len(parts)) + b"".join(_LENGTH.pack(part.nbytes) for part in parts))
    pipe.writelines(parts)
    pipe.flush()


def receive_message(pipe: BinaryIO) -> Any:
    """Read a message; EOFError if the other end is closed."""
    (n_parts,) = _LENGTH.unpack(_exactly(pipe, _LENGTH.size))
    lengths = [_LENGTH.unpack(_exactly(pipe, _LENGTH.size))[0] for _ in range(n_parts)]
    head, *buffers = [_exactly(pipe, length) for length in lengths]
    return pickle.loads(head, buffers=buffers)  # noqa: S301 - from a process that this one started


def _exactly(pipe: BinaryIO, length: int) -> bytearray:
    content = bytearray(length)
    view, at = memoryview(content), 0
    while at < length:
        got = pipe.readinto(view[at:])  # type: ignore[attr-defined]
        if not got:
            raise EOFError
        at += got
    return content
