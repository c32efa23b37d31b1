"""What the course's sheets give: rows, or the parameters that rows are drawn from.

Nothing is fitted here, so that whoever needs the numbers alone does not import the classifier.
"""
