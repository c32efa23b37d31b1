"""Uvicorn's sockets, with an answer for handshakes that are none.

Where the headers of a handshake cannot be understood, or announce a body, the library beneath gives
up, and uvicorn (0.54) neither answers nor closes the connection, and fails over it at its end.
"""

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
