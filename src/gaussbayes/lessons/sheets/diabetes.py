"""Patients without diabetes (class 0) and with it (class 1), by parameters made for the lesson."""

MEANS = ((40.0, 95.0), (52.0, 130.0))
COVARIANCES = (((36.0, 12.0), (12.0, 144.0)), ((64.0, 48.0), (48.0, 484.0)))
FEATURES = ("white blood cell count", "plasma glucose")
DOCTOR: dict[object, float] = {0: 0.8, 1: 0.2}
"""The prior of the doctor's patients."""
COUNT = 48.0
GLUCOSE = 125.0
"""Of the patient in question."""
