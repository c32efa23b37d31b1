"""The lab: one HTML page that fits, draws and explains Gaussian classifiers by itself.

The page holds its data and needs no server: it makes no request to any address.
"""

from gaussbayes.lab.page import Lab, page

__all__ = ["Lab", "page"]
