"""Where the site and its sources live. A fork changes these two lines and nothing else."""

SITE_URL = "https://faultbook.github.io/faultbook/"
REPO_URL = "https://github.com/faultbook/faultbook"
