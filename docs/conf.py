"""Sphinx settings of the site; `make docs` builds it into build/docs."""

import os
import sys
import warnings
from importlib.metadata import version as version_of
from pathlib import Path

HERE = Path(__file__).parent
sys.path.insert(0, str(HERE / "_extensions"))
# Two processes run pages and examples, which inherit this: their threads would wait for each other.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
os.environ["COLUMNS"] = "100"  # tables in the terminal's manner are as wide on every machine

from figure_style import KERNEL, LOOK, reset_gallery  # noqa: E402 - after the settings above

# Kernels have settings of their own, whatever the machine has for others.
settings = HERE.parent / "build" / "ipython"
(settings / "profile_default").mkdir(parents=True, exist_ok=True)
(settings / "profile_default" / "ipython_kernel_config.py").write_text(KERNEL, encoding="utf-8")
os.environ["IPYTHONDIR"] = str(settings)
warnings.filterwarnings("error", category=UserWarning, module="gaussbayes")

project = "gaussbayes"
author = "the gaussbayes developers"
copyright = author
release = version = version_of("gaussbayes")

extensions = [
    "myst_nb",
    "kernel_sockets",
    "sphinx.ext.autodoc",
    "sphinx.ext.autosummary",
    "numpydoc",
    "matplotlib.sphinxext.plot_directive",
    "sphinx_gallery.gen_gallery",
    "mathml",
    "command_options",
    "docstring_examples",
    "figure_texts",
    "dark_figures",
    "search_words",
    "lab_page",
    "live",
    "exercise",
    "notebooks",
]
exclude_patterns = ["_extensions", "_static", "gallery/**/*.ipynb", "**/GALLERY_HEADER.rst"]
smartquotes = False
toc_object_entries_show_parents = "hide"
default_role = "autolink"  # `name` in a docstring is a link where there is a page of that name

# Pages: every code cell is run, in a directory of its own, and an error stops the build.
myst_enable_extensions = ["amsmath", "colon_fence", "deflist", "dollarmath"]
myst_heading_anchors = 4
myst_update_mathjax = False
nb_execution_mode = "auto"
nb_execution_show_tb = True
nb_execution_in_temp = True
nb_execution_timeout = 60
nb_merge_streams = True
nb_code_prompt_show = "Show solution"  # only solutions of exercises are hidden
nb_code_prompt_hide = "Hide solution"
html_math_renderer = "mathml"

# Reference.
autosummary_generate = False
autodoc_typehints = "none"
autodoc_member_order = "bysource"
autodoc_default_options = {"members": True}
numpydoc_show_class_members = False
numpydoc_attributes_as_param_list = True
plot_include_source = True
plot_html_show_source_link = False
plot_html_show_formats = False
plot_formats = [("png", 110)]
plot_rcparams = LOOK
plot_apply_rcparams = True

# Gallery.
sphinx_gallery_conf = {
    "examples_dirs": "../examples",
    "gallery_dirs": "gallery",
    "filename_pattern": r"/(?!spark_)\w+\.py$",  # Spark needs Java; the tests run its example
    "within_subsection_order": "FileNameSortKey",
    "subsection_order": ["../examples/models", "../examples/data", "../examples/answers"],
    "abort_on_example_error": True,
    "capture_repr": (),
    "download_all_examples": False,
    "matplotlib_animations": False,
    "min_reported_time": 1,
    "nested_sections": True,
    "parallel": 2,
    "plot_gallery": True,
    "remove_config_comments": True,
    "reset_modules": ("matplotlib", reset_gallery),
    "show_memory": False,
    "show_signature": False,
    "write_computation_times": False,
}
suppress_warnings = [
    "config.cache",  # orders of sphinx-gallery cannot be pickled
    "sphinx_gallery.space_in_filename",  # in the directory's name; links do not have it
]

# Nothing is fetched from another address: fonts, styles and formulas come with the page.
html_theme = "pydata_sphinx_theme"
html_title = "gaussbayes"
html_static_path = ["_static"]
html_css_files = ["site.css"]
html_js_files = ["site.js"]
html_search_scorer = str(HERE / "_extensions" / "search_scorer.js")
html_favicon = html_logo = None
html_show_sourcelink = False
html_copy_source = False
html_theme_options = {
    "logo": {"text": "gaussbayes"},
    "navbar_align": "left",
    "navbar_end": ["theme-switcher"],
    "header_links_before_dropdown": 8,
    "show_nav_level": 1,
    "navigation_with_keys": False,
    "secondary_sidebar_items": ["page-toc"],
    "show_prev_next": True,
    "footer_start": ["copyright"],
    "footer_end": [],
    "pygments_light_style": "a11y-light",
    "pygments_dark_style": "a11y-dark",
}
html_sidebars = {
    page: [] for page in ("index", "start", "which-model", "glossary", "search", "genindex")
}
