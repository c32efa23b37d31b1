"""Kernels of pages talk over socket files.

Pages are executed by several processes at once. By default each of them picks free TCP ports for
its kernel, and two processes can pick the same port before either of them uses it.
"""

import tempfile
from pathlib import Path
from typing import Any
from uuid import uuid4

from nbclient import NotebookClient

_directory = tempfile.TemporaryDirectory(prefix="kernels")  # short: socket paths have 107 bytes
_create_kernel_manager = NotebookClient.create_kernel_manager


def _create_with_socket_files(client: NotebookClient) -> Any:
    manager = _create_kernel_manager(client)
    manager.transport = "ipc"
    manager.connection_file = str(Path(_directory.name) / f"{uuid4().hex}.json")
    return manager


def setup(_app: Any) -> dict[str, bool]:
    """Let every kernel use socket files."""
    NotebookClient.create_kernel_manager = _create_with_socket_files  # type: ignore[method-assign]
    return {"parallel_read_safe": True, "parallel_write_safe": True}
