"""widemargin: linear classifiers, from the perceptron of a lecture note to a certified optimum.

Every loss is a function of the margin z = y (w.x + b).
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from widemargin import datasets, errors, geometry, plots, schedules, stops
    from widemargin.calibration import Calibration, calibrate, correct_priors
    from widemargin.calls.translated import translate_call
    from widemargin.certificate import Certificate
    from widemargin.data.cache import Cache
    from widemargin.data.text_rows import TextRows, read_libsvm, read_vw
    from widemargin.decisions import Decision, tune_threshold
    from widemargin.errors import NotConverged, Verdict, WidemarginError
    from widemargin.exports.export import export
    from widemargin.fewest.minimum import fewest_errors
    from widemargin.fewest.result import FewestErrors
    from widemargin.fitting import Fit, fit
    from widemargin.imports.liblinear import from_liblinear
    from widemargin.imports.scikit_learn import from_sklearn
    from widemargin.imports.vw import from_vw
    from widemargin.inference import Inference, firth, infer
    from widemargin.left_out import LeaveOneOut, leave_one_out
    from widemargin.loss import CallableLoss, losses
    from widemargin.memory import MemoryEstimate, estimate_memory
    from widemargin.model import Model
    from widemargin.model_file import read as load
    from widemargin.paths.along import Path, alpha_max, path
    from widemargin.paths.crossed import CrossFit, cross_fit
    from widemargin.paths.selection import CrossValidation, cross_validate
    from widemargin.penalty import CallablePenalty, penalties
    from widemargin.separation import separability
    from widemargin.solve import solvers
    from widemargin.stops import budget
    from widemargin.svm import SVM, hard_margin, soft_margin
    from widemargin.translation import conventions, translate

__version__ = "0.1.0"

# name -> (module, attribute); everything is imported when first asked for, so that `import widemargin` is light
_PUBLIC = {
    "Calibration": ("calibration", "Calibration"),
    "Cache": ("data.cache", "Cache"),
    "CallableLoss": ("loss", "CallableLoss"),
    "CallablePenalty": ("penalty", "CallablePenalty"),
    "Certificate": ("certificate", "Certificate"),
    "CrossFit": ("paths.crossed", "CrossFit"),
    "CrossValidation": ("paths.selection", "CrossValidation"),
    "Decision": ("decisions", "Decision"),
    "FewestErrors": ("fewest.result", "FewestErrors"),
    "Fit": ("fitting", "Fit"),
    "Inference": ("inference", "Inference"),
    "LeaveOneOut": ("left_out", "LeaveOneOut"),
    "MemoryEstimate": ("memory", "MemoryEstimate"),
    "Model": ("model", "Model"),
    "NotConverged": ("errors", "NotConverged"),
    "Path": ("paths.along", "Path"),
    "SVM": ("svm", "SVM"),
    "TextRows": ("data.text_rows", "TextRows"),
    "Verdict": ("errors", "Verdict"),
    "WidemarginError": ("errors", "WidemarginError"),
    "alpha_max": ("paths.along", "alpha_max"),
    "budget": ("stops", "budget"),
    "calibrate": ("calibration", "calibrate"),
    "conventions": ("translation", "conventions"),
    "correct_priors": ("calibration", "correct_priors"),
    "cross_fit": ("paths.crossed", "cross_fit"),
    "cross_validate": ("paths.selection", "cross_validate"),
    "datasets": ("datasets", ""),
    "errors": ("errors", ""),
    "estimate_memory": ("memory", "estimate_memory"),
    "export": ("exports.export", "export"),
    "fewest_errors": ("fewest.minimum", "fewest_errors"),
    "firth": ("inference", "firth"),
    "fit": ("fitting", "fit"),
    "from_liblinear": ("imports.liblinear", "from_liblinear"),
    "from_sklearn": ("imports.scikit_learn", "from_sklearn"),
    "from_vw": ("imports.vw", "from_vw"),
    "geometry": ("geometry", ""),
    "hard_margin": ("svm", "hard_margin"),
    "infer": ("inference", "infer"),
    "leave_one_out": ("left_out", "leave_one_out"),
    "load": ("model_file", "read"),
    "losses": ("loss", "losses"),
    "path": ("paths.along", "path"),
    "penalties": ("penalty", "penalties"),
    "plots": ("plots", ""),
    "read_libsvm": ("data.text_rows", "read_libsvm"),
    "read_vw": ("data.text_rows", "read_vw"),
    "schedules": ("schedules", ""),
    "separability": ("separation", "separability"),
    "soft_margin": ("svm", "soft_margin"),
    "solvers": ("solve", "solvers"),
    "stops": ("stops", ""),
    "translate": ("translation", "translate"),
    "translate_call": ("calls.translated", "translate_call"),
    "tune_threshold": ("decisions", "tune_threshold"),
}

__all__ = [
    "SVM",
    "Cache",
    "Calibration",
    "CallableLoss",
    "CallablePenalty",
    "Certificate",
    "CrossFit",
    "CrossValidation",
    "Decision",
    "FewestErrors",
    "Fit",
    "Inference",
    "LeaveOneOut",
    "MemoryEstimate",
    "Model",
    "NotConverged",
    "Path",
    "TextRows",
    "Verdict",
    "WidemarginError",
    "alpha_max",
    "budget",
    "calibrate",
    "conventions",
    "correct_priors",
    "cross_fit",
    "cross_validate",
    "datasets",
    "errors",
    "estimate_memory",
    "export",
    "fewest_errors",
    "firth",
    "fit",
    "from_liblinear",
    "from_sklearn",
    "from_vw",
    "geometry",
    "hard_margin",
    "infer",
    "leave_one_out",
    "load",
    "losses",
    "path",
    "penalties",
    "plots",
    "read_libsvm",
    "read_vw",
    "schedules",
    "separability",
    "soft_margin",
    "solvers",
    "stops",
    "translate",
    "translate_call",
    "tune_threshold",
]


def __getattr__(name: str) -> Any:
    try:
        module, attribute = _PUBLIC[name]
    except KeyError:
        raise AttributeError(f"module 'widemargin' has no attribute {name!r}") from None
    found = import_module(f"widemargin.{module}")
    value = getattr(found, attribute) if attribute else found
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted([*globals(), *__all__])
