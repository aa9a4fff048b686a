"""Turn the published tables of adult and sms_spam into the gzip CSV files that the package ships.

    python tools/make_datasets.py FOLDER

FOLDER holds adult/data.parquet and sms_spam/data.parquet (needs pandas and pyarrow).  The output is the same
bytes on every run: the gzip header carries no time and no name.
"""

from __future__ import annotations

import gzip
import sys
from pathlib import Path

import pandas as pd

OUT = Path(__file__).resolve().parent.parent / "src" / "widemargin" / "datasets"


def write(frame: pd.DataFrame, name: str) -> None:
    """One table as CSV, compressed as far as gzip goes."""
    text = frame.to_csv(index=False, lineterminator="\n", na_rep="")
    path = OUT / f"{name}.csv.gz"
    path.write_bytes(gzip.compress(text.encode("utf-8"), compresslevel=9, mtime=0))
    print(f"{path.name}: {len(frame)} rows, {path.stat().st_size} bytes")


def main(folder: Path) -> None:
    """Write both files."""
    adult = pd.read_parquet(folder / "adult" / "data.parquet")
    # fnlwgt is the census' sampling weight, not a property of the person; it would be a third of the file.
    write(adult.drop(columns="fnlwgt").rename(columns={"target": "income"}), "adult")
    sms = pd.read_parquet(folder / "sms_spam" / "data.parquet")
    write(sms.rename(columns={"target": "label"}), "sms_spam")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
