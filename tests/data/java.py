"""Which Java the tests of Spark run on, and what happens where there is none."""

import os
import re
import shutil
import subprocess

HOW = "install Java 17 or newer (Debian and Ubuntu: apt-get install openjdk-17-jre-headless)"


def is_there() -> bool:
    """Whether there is a Java that Spark can run on."""
    java = shutil.which("java")
    if java is None:
        return False
    done = subprocess.run([java, "-version"], capture_output=True, text=True, check=False)
    version = re.search(r'version "(\d+)', done.stderr)
    return version is not None and int(version[1]) >= 17


def is_required() -> bool:
    """Whether a Java that is not there is an error, as it is in continuous integration."""
    return os.environ.get("GAUSSBAYES_JAVA") == "required" or os.environ.get("CI") == "true"
