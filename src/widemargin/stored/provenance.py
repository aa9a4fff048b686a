"""Where a model came from: versions, machine, time.  SOURCE_DATE_EPOCH, if set, is the time."""

from __future__ import annotations

import os
import platform
import sys
import time
from typing import Any

import numpy as np

import widemargin
from widemargin import _core

TIME = "%Y-%m-%dT%H:%M:%SZ"


def provenance() -> dict[str, Any]:
    """Plain data, for the model file."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH", "")
    moment = float(epoch) if epoch.isdecimal() else time.time()
    return {
        "widemargin": widemargin.__version__,
        "python": platform.python_version(),
        "numpy": np.__version__,
        "machine": f"{sys.platform} {platform.machine()} {_core.level()}",
        "time": time.strftime(TIME, time.gmtime(moment)),
    }
