"""Tests of pages, in Node and in a browser; a package, so that its files share one browser."""
