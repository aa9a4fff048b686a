"""How many threads a fit may use: one inside a worker of joblib, what the process may use elsewhere."""

from __future__ import annotations

from widemargin._threads import available_threads


def threads(n_jobs: int | None) -> int | None:
    """n_jobs as scikit-learn means it: None leaves the choice, -1 is all, -2 all but one."""
    if n_jobs is None:
        return 1 if inside_worker() else None
    return n_jobs if n_jobs > 0 else max(1, available_threads() + 1 + n_jobs)


def inside_worker() -> bool:
    """Whether joblib runs this call beside others, in threads or processes of its own."""
    from joblib.parallel import get_active_backend

    backend, _ = get_active_backend()
    return bool(getattr(backend, "nesting_level", 0))
