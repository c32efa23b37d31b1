"""Old names; goes when nobody imports it."""

from gaussbayes.data.categories import (  # noqa: F401
    ManyCategoriesWarning,
    UnseenCategoryWarning,
    unseen_message,
    warn_of_many,
    warn_of_unseen,
)
