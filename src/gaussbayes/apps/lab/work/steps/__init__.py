"""The steps of each lesson; their numbers are those of `gaussbayes.lessons`, which are tested."""
