"""Tests of the page in a browser; a package, so that its files share one."""
