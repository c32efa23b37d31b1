"""What is raised for a message that is not one, or cannot be answered."""

from gaussbayes.apps.lab.desk import RequestError


class MessageError(RequestError):
    """A request cannot be answered as it is; the page shows the text and goes on."""
