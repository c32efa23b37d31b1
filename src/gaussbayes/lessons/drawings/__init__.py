"""Pictures that only the lessons need; the others are `gaussbayes.plots`."""
