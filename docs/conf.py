"""Sphinx configuration."""

from importlib.metadata import version as installed_version

project = "weitzman"
author = "the weitzman developers"
version = release = installed_version("weitzman")
extensions = ["myst_parser", "sphinx.ext.autodoc", "sphinx.ext.napoleon"]
myst_enable_extensions = ["colon_fence", "deflist"]
myst_heading_anchors = 3
exclude_patterns = ["_build"]
html_theme = "furo"
html_title = "weitzman"
html_show_copyright = False
html_static_path = ["_static"]
html_css_files = ["tables.css"]
autodoc_member_order = "bysource"
autodoc_typehints = "none"
napoleon_use_ivar = True
