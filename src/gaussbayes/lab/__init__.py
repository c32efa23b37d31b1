"""The lab: one HTML page that fits, draws and explains Gaussian classifiers by itself."""
