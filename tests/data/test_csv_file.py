"""CSV files: what is read, and what is said about files that cannot be."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from widemargin.data.csv_file import read_csv
from widemargin.errors import InputError

GOOD = 'name,size\n"Ann, B.",1\n\n"two\nlines",2\n'
COLUMNS = {"name": ("Ann, B.", "two\nlines"), "size": ("1", "2")}


@pytest.mark.parametrize(
    "content",
    [
        GOOD.encode(),
        GOOD.replace("\n", "\r\n").replace("two\r\n", "two\n").encode(),
        GOOD.encode("utf-8-sig"),
        gzip.compress(GOOD.encode(), mtime=0),
        GOOD.replace("name,size", "name;size").replace('",', '";').encode(),
        GOOD.replace("name,size", "name\tsize").replace('",', '"\t').encode(),
        GOOD.rstrip("\n").encode(),
    ],
    ids=["plain", "crlf", "bom", "gzip", "semicolon", "tab", "no newline at the end"],
)
def test_good_files(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    assert read_csv(path) == COLUMNS


@pytest.mark.parametrize(
    ("content", "text"),
    [
        (b"", "is empty, or has no names of columns in line 1"),
        (b"\n\n", "is empty, or has no names of columns in line 1"),
        (b"a,b\n", "has a header and no rows"),
        (b"a,b\n1,2\n\n1,2,3\n", "line 4: 3 values where the header has 2 columns"),
        (b"a,b,a\n1,2,3\n", "the header has the column 'a' twice"),
        (b",b\n0,2\n", "column 1 has no name"),
        (b'a,b\n1,"2\n1,2\n', "Is a quotation mark opened and not closed?"),
        ("a,b\n1,café\n".encode("latin-1"), "is not text in UTF-8 (byte 0xe9)"),
        (gzip.compress(GOOD.encode(), mtime=0)[:-12], "is a damaged gzip file"),
        (gzip.compress(GOOD.encode(), mtime=0)[:2] + b"no", "is a damaged gzip file"),
    ],
)
def test_bad_files(tmp_path: Path, content: bytes, text: str) -> None:
    path = tmp_path / "table.csv"
    path.write_bytes(content)
    with pytest.raises(InputError) as caught:
        read_csv(path)
    assert str(path) in str(caught.value)
    assert text in str(caught.value)


def test_no_file_and_a_folder(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no such file"):
        read_csv(tmp_path / "absent.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_csv(tmp_path)
