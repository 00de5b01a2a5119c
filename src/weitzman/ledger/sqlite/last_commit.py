"""The last commit of a journal in a file: its seq, kept beside in the *witness*.

It is written after a commit and before anybody hears of it, so that a journal that ends before its witness
has lost events that were acknowledged. The file is also the lock by which one process holds the journal.
"""

import fcntl
import os
import struct
import zlib
from pathlib import Path

from weitzman.errors import JournalHeldError


class LastCommit:
    """The seq of the last commit, in a file beside the journal; and the lock that one process holds."""

    def __init__(self, journal: Path) -> None:
        path = journal.with_name(f"{journal.name}-witness")
        self._file = os.open(path, os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(self._file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            os.close(self._file)
            raise JournalHeldError(
                f"The journal {os.fspath(journal)!r} is held by another process."
            ) from None

    def read(self) -> int:
        """Return what was written last; 0 if there is nothing that is whole."""
        content = os.pread(self._file, 12, 0)
        if len(content) < 12:
            return 0
        seq, check = struct.unpack(">QI", content)
        return int(seq) if zlib.crc32(content[:8]) == check else 0

    def write(self, seq: int) -> None:
        """Write the seq of the last commit; it need not reach the disk, only outlive the process."""
        number = struct.pack(">Q", seq)
        os.pwrite(self._file, number + struct.pack(">I", zlib.crc32(number)), 0)

    def close(self) -> None:
        """Let another process have the journal."""
        if self._file >= 0:
            os.close(self._file)
            self._file = -1
