"""Uvicorn's sockets, with an answer for handshakes that are none.

Where the headers of a handshake cannot be understood, or announce a body, the library beneath gives
up, and uvicorn (0.54) neither answers nor closes the connection, and fails over it at its end. One
that is refused by an answer it takes for unfinished, and complains of it to the terminal: every few
seconds if the page of an earlier lab is still open and looks for its server.
"""

from typing import Any

from uvicorn.protocols.websockets.websockets_sansio_impl import WebSocketsSansIOProtocol

_REFUSED = b"HTTP/1.1 400 Bad Request\r\nContent-Length: 0\r\nConnection: close\r\n\r\n"


class SocketProtocol(WebSocketsSansIOProtocol):
    """One connection."""

    def data_received(self, data: bytes) -> None:
        """As in uvicorn; what is no handshake is refused at once."""
        super().data_received(data)
        if not self.handshake_initiated and self.conn.handshake_exc is not None:
            self.handshake_initiated = self.handshake_complete = self.close_sent = True
            self.transport.write(_REFUSED)
            self.transport.close()

    async def send(self, message: Any) -> None:
        """As in uvicorn; an answer in the place of a socket ends the handshake, too."""
        await super().send(message)
        if self.initial_response is not None and self.close_sent:
            self.handshake_complete = True
