"""How much may be asked for at once; the page is told these numbers, too."""

LONGEST_MESSAGE = 4 << 20  # bytes of a request
LONGEST_NAME = 400  # characters
MOST_CLASSES_BY_HAND = 12
MOST_CLASSES = 50
MOST_FEATURES = 50
MOST_CATEGORIES = 100  # different values of a feature that holds categories; of more it is text
MOST_SMOOTHING = 1_000
MOST_ROWS = 200_000
MOST_PLACES = 400  # points of a grid along each side
MOST_LINE_PLACES = 2_000
MOST_NEIGHBOURS = 1_000
LARGEST_NUMBER = 1e100  # beyond it squares overflow
LARGEST_SEED = (1 << 32) - 1
LARGEST_UPLOAD = 64 << 20  # bytes of a file

# Those that the page can keep to by itself.
LIMITS = {
    "message": LONGEST_MESSAGE,
    "classes_by_hand": MOST_CLASSES_BY_HAND,
    "classes": MOST_CLASSES,
    "features": MOST_FEATURES,
    "rows": MOST_ROWS,
    "places": MOST_PLACES,
    "line_places": MOST_LINE_PLACES,
    "neighbours": MOST_NEIGHBOURS,
    "upload": LARGEST_UPLOAD,
}
