"""Reading files that others wrote."""

import io
import os
from pathlib import Path

import pytest

from engine.diagnostics import EngineError
from engine.files.text_file import decode, read_stream, read_text


def refusal(path: Path, **options: int) -> str:
    with pytest.raises(EngineError) as caught:
        read_text(path, **options)
    (found,) = caught.value.diagnostics
    return f"{found.code} {found.message}" + (f" [{found.help}]" if found.help else "")


def test_text_is_read_as_it_stands(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.write_bytes(b"\xef\xbb\xbfa: \xc3\xa9\r\nb: 1\n")
    source = read_text(path, shown="rules/a.yaml")
    assert source.path == "rules/a.yaml"
    assert source.text == "a: é\r\nb: 1\n"
    assert source.line(1) == "a: é"
    assert source.position(source.text.index("b")) == (2, 1)


def test_missing_file_suggests_its_neighbour(tmp_path: Path) -> None:
    (tmp_path / "document-7b.yaml").touch()
    text = refusal(tmp_path / "document-7B.yml")
    assert text.startswith("E101 cannot read the file: no such file")
    assert f"did you mean `{tmp_path / 'document-7b.yaml'}`?" in text
    assert "there is no directory" in refusal(tmp_path / "no" / "x.yaml")


def test_directory_and_odd_path(tmp_path: Path) -> None:
    assert "is a directory" in refusal(tmp_path)
    assert refusal(tmp_path / "a\0b").startswith("E101")


@pytest.mark.skipif(os.geteuid() == 0, reason="root may read everything")
def test_forbidden_file(tmp_path: Path) -> None:
    path = tmp_path / "a.yaml"
    path.touch(mode=0)
    assert "permission denied" in refusal(path)


def test_large_file_is_refused_without_reading(tmp_path: Path) -> None:
    path = tmp_path / "large.yaml"
    with path.open("wb") as stream:
        stream.truncate(100_000_000)  # sparse; reading it would find zeros, hence E108
    assert refusal(path) == (
        "E103 the file is too large: 100.0 MB, where 5.0 MB is the most that is read"
        " [check that this is the file you meant]"
    )


def test_endless_device_is_read_to_the_cap_only() -> None:
    assert refusal(Path("/dev/zero"), limit_bytes=1000).startswith("E103 the file is too large: more, where")


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"a: 1\nb\x00c", "E108 the file is binary, not text: byte 6 is zero"),
        (b"PK\x03\x04rest", "E108 the file is binary, not text: it begins like a zip archive or a workbook"),
        (b"\x1f\x8brest", "E108 the file is binary, not text: it begins like a gzip archive"),
        (b"\xff\xfea\x00", "E102 the file is UTF-16, not UTF-8"),
        (b"a: 1\nb: \xc3\xa9 caf\xe9\n", "E102 the file is not UTF-8: byte 14 is 0xE9"),
    ],
)
def test_not_text(data: bytes, expected: str) -> None:
    with pytest.raises(EngineError) as caught:
        decode(data, "x.yaml")
    (found,) = caught.value.diagnostics
    assert f"{found.code} {found.message}" == expected


def test_place_of_a_bad_byte_counts_characters() -> None:
    with pytest.raises(EngineError) as caught:
        decode(b"a: 1\nb: \xc3\xa9 caf\xe9\n", "x.yaml")
    span = caught.value.diagnostics[0].span
    assert span is not None
    assert (span.line, span.column) == (2, 9)


def test_stream_is_capped_too() -> None:
    assert read_stream(io.BytesIO(b"a: 1"), "<stdin>").text == "a: 1"
    with pytest.raises(EngineError, match="too large"):
        read_stream(io.BytesIO(b"a" * 11), "<stdin>", limit_bytes=10)
