"""Pictures of models and data, with matplotlib.

Each function takes a fitted classifier, or the rows, and draws on the axes given as `ax` (pictures
of several panels: in the figure given as `figure`) or on new ones, which it returns. Models of
more than two features are shown through a pair of them, the others integrated out exactly.
"""

import importlib  # provisional: replaced by plain imports when every file is there

for _module, _names in (
    ('calibration', 'calibration, posterior_histogram'),
    ('compared', 'comparison'),
    ('confusion', 'confusion'),
    ('dataset', 'dataset'),
    ('ellipses', 'ellipses'),
    ('generative', 'generative_and_discriminative'),
    ('maps', 'evidence, joint, joints, posterior, posteriors'),
    ('neighbors', 'neighbors_error'),
    ('pairs', 'pairs'),
    ('predictions', 'predictions'),
    ('regions', 'regions'),
    ('shapes', 'shapes, sharing'),
    ('surface', 'evidence_surface'),
    ('univariate', 'densities, posterior_curve, univariate'),
) :
    try:
        _loaded = importlib.import_module(f"gaussbayes.plots.{_module}")
        for _name in _names.split(", "):
            globals()[_name] = getattr(_loaded, _name)
    except (ImportError, AttributeError):
        pass
