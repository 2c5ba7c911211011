"""Files of others that are refused before they can do harm, each in under a second."""

from __future__ import annotations

import io
import time
import zipfile
from pathlib import Path

import pytest

from engine import RuleSet
from engine.diagnostics import EngineError
from tests.support.xlsx import part_of, rewrite
from workbook.reading.read import read


def refused(path: Path, rules: RuleSet) -> str:
    start = time.process_time()
    with pytest.raises(EngineError) as caught:
        read(path, rules)
    assert time.process_time() - start < 1
    return str(caught.value).replace(f"{path.parent}/", "")


def keep(name: str, content: bytes) -> bytes:
    return content


def test_a_zip_bomb(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    path = tmp_path / "bomb.xlsx"
    archive = zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED)
    with archive, archive.open("xl/workbook.xml", "w", force_zip64=True) as part:
        for _ in range(300):
            part.write(b" " * 1_000_000)
    assert "bomb.xlsx: error[E902]: unpacked it has 300 MB" in refused(path, rules)
    padded = rewrite(built, path, keep, {"xl/media/picture.png": b"\0" * 20_000_000})
    assert "xl/media/picture.png unpacks to more than 200 times its size" in refused(padded, rules)


def test_thousands_of_parts(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    path = rewrite(built, tmp_path / "parts.xlsx", keep, {f"xl/media/{number}.png": b"x" for number in range(2000)})
    assert "error[E902]: the file has 2,0" in refused(path, rules)


def test_a_file_beyond_all_sizes(rules: RuleSet, tmp_path: Path) -> None:
    path = tmp_path / "large.xlsx"
    with path.open("wb") as stream:
        stream.truncate(60_000_000)
    assert "error[E902]: the file has 60 MB, the limit is 50 MB" in refused(path, rules)


@pytest.mark.parametrize(
    "part",
    [
        "xl/vbaProject.bin",
        "xl/externalLinks/externalLink1.xml",
        "xl/activeX/activeX1.bin",
        "xl/embeddings/oleObject1.bin",
        "xl/macrosheets/sheet1.xml",
        "xl/connections.xml",
    ],
)
def test_macros_links_and_objects(part: str, rules: RuleSet, built: Path, tmp_path: Path) -> None:
    assert f"error[E903]: the file holds {part}" in refused(
        rewrite(built, tmp_path / "x.xlsx", keep, {part: b"x"}), rules
    )


def test_a_link_to_another_workbook(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    link = (
        b'<Relationship Id="rId99" Target="http://example.com/other.xlsx" TargetMode="External" '
        b'Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/externalLink" /></Relationships>'
    )

    def change(name: str, content: bytes) -> bytes:
        return content.replace(b"</Relationships>", link) if name == "xl/_rels/workbook.xml.rels" else content

    text = refused(rewrite(built, tmp_path / "x.xlsx", change, {}), rules)
    assert "error[E903]: the file links to another workbook" in text


@pytest.mark.parametrize("part", ["xl/workbook.xml", "Inputs"])
def test_an_entity_bomb(part: str, rules: RuleSet, built: Path, tmp_path: Path) -> None:
    entities = "".join(f'<!ENTITY e{level} "{f"&e{level - 1};" * 10 if level else "lol"}">' for level in range(10))
    wanted = part if "/" in part else part_of(built, part)

    def change(name: str, content: bytes) -> bytes:
        return f"<!DOCTYPE x [{entities}]>".encode() + content if name == wanted else content

    text = refused(rewrite(built, tmp_path / "x.xlsx", change, {}), rules)
    assert f"error[E903]: {wanted} declares a document type or entities" in text


def test_a_sheet_of_a_thousand_million_cells(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    part = part_of(built, "Inputs")
    far = b'<row r="1048576"><c r="XFD1048576"><v>1</v></c></row></sheetData>'

    def one_far(name: str, content: bytes) -> bytes:
        return content.replace(b"</sheetData>", far) if name == part else content

    text = refused(rewrite(built, tmp_path / "x.xlsx", one_far, {}), rules)
    assert "error[E902]: sheet Inputs reaches to cell XFD1048576" in text

    rows = range(300, 20_000)
    many = b"".join(b'<row r="%d">%b</row>' % (row, b'<c r="A%d"><v>%d</v></c>' % (row, row) * 10) for row in rows)

    def dense(name: str, content: bytes) -> bytes:
        return content.replace(b"</sheetData>", many + b"</sheetData>") if name == part else content

    refused(rewrite(built, tmp_path / "x.xlsx", dense, {}), rules)


def test_a_merged_sheet_is_read_all_the_same(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    part = part_of(built, "Inputs")
    merged = b'</sheetData><mergeCells count="1"><mergeCell ref="A300:XFD1048576"/></mergeCells>'

    def change(name: str, content: bytes) -> bytes:
        return content.replace(b"</sheetData>", merged) if name == part else content

    path = rewrite(built, tmp_path / "x.xlsx", change, {})
    start = time.process_time()
    read(path, rules)
    assert time.process_time() - start < 2


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + b"\0" * 2000, "the file has the older .xls format, or is encrypted"),
        (b"a,b,c\n1,2,3\n", "the file is no archive"),
        (b"", "the file is no archive"),
        (b"PK\x03\x04" + b"\0" * 100, "the archive is damaged"),
    ],
)
def test_other_formats_under_the_name(content: bytes, expected: str, rules: RuleSet, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    path.write_bytes(content)
    assert f"plan.xlsx: error[E901]: {expected}" in refused(path, rules)


def test_an_archive_that_is_no_workbook(rules: RuleSet, tmp_path: Path) -> None:
    path = tmp_path / "plan.xlsx"
    with zipfile.ZipFile(path, "w") as archive:
        archive.writestr("readme.txt", "hello")
    assert "error[E901]: the file has no part xl/_rels/workbook.xml.rels" in refused(path, rules)


def test_damaged_files_end_in_a_diagnostic(rules: RuleSet, built: Path, tmp_path: Path) -> None:
    content = built.read_bytes()
    path = tmp_path / "plan.xlsx"
    for at in range(0, len(content), len(content) // 40):
        damaged = bytearray(content)
        damaged[at : at + 64] = bytes(64)
        path.write_bytes(damaged)
        try:
            read(path, rules)
        except EngineError as error:
            assert error.diagnostics
    path.write_bytes(content[: len(content) // 2])
    assert "E901" in refused(path, rules)


def test_a_missing_file(rules: RuleSet, tmp_path: Path) -> None:
    assert "error[E101]: cannot read the file: no such file or directory" in refused(tmp_path / "no.xlsx", rules)


def test_a_workbook_of_somebody_else(rules: RuleSet, tmp_path: Path) -> None:
    from openpyxl import Workbook

    buffer = io.BytesIO()
    Workbook().save(buffer)
    path = tmp_path / "other.xlsx"
    path.write_bytes(buffer.getvalue())
    text = refused(path, rules)
    assert "error[E904]: the workbook has no name `rule_set_digest`" in text
    assert "it was not built by `engine workbook build`" in text
