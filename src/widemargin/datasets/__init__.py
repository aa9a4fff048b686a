"""Real data sets that ship with the package (licences: ATTRIBUTION.md), and one synthetic generator."""

from __future__ import annotations

from widemargin.datasets.shipped import Split, adult, sms_spam
from widemargin.datasets.toy import blobs

__all__ = ["Split", "adult", "blobs", "sms_spam"]
