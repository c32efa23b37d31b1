"""Where no compiler was, the wrapper of the native kernels cannot be searched for doctests."""

from gaussbayes import kernels

collect_ignore = [] if kernels.native else ["src/gaussbayes/kernels/native.py"]
