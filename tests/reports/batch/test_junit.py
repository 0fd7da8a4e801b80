"""junit.xml: read by a strict parser, held against the schema that Jenkins and GitLab share."""

from __future__ import annotations

import pytest

from reports.batch.files import write_junit

etree = pytest.importorskip("lxml.etree")

# What readers of JUnit agree on, written down from their documentation.
SCHEMA = """<xs:schema xmlns:xs="http://www.w3.org/2001/XMLSchema">
<xs:attributeGroup name="counts">
 <xs:attribute name="name" type="xs:string" use="required"/>
 <xs:attribute name="tests" type="xs:nonNegativeInteger" use="required"/>
 <xs:attribute name="failures" type="xs:nonNegativeInteger" use="required"/>
 <xs:attribute name="errors" type="xs:nonNegativeInteger" use="required"/>
</xs:attributeGroup>
<xs:complexType name="reason"><xs:simpleContent><xs:extension base="xs:string">
 <xs:attribute name="type" type="xs:string" use="required"/>
 <xs:attribute name="message" type="xs:string" use="required"/>
</xs:extension></xs:simpleContent></xs:complexType>
<xs:element name="testcase"><xs:complexType><xs:sequence>
 <xs:choice minOccurs="0"><xs:element name="failure" type="reason"/>
 <xs:element name="error" type="reason"/></xs:choice>
 <xs:element name="system-out" type="xs:string" minOccurs="0"/></xs:sequence>
 <xs:attribute name="classname" type="xs:string" use="required"/>
 <xs:attribute name="name" type="xs:string" use="required"/>
</xs:complexType></xs:element>
<xs:element name="testsuite"><xs:complexType><xs:sequence>
 <xs:element ref="testcase" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
 <xs:attributeGroup ref="counts"/>
 <xs:attribute name="skipped" type="xs:nonNegativeInteger"/>
</xs:complexType></xs:element>
<xs:element name="testsuites"><xs:complexType><xs:sequence>
 <xs:element ref="testsuite" minOccurs="0" maxOccurs="unbounded"/></xs:sequence>
 <xs:attributeGroup ref="counts"/></xs:complexType></xs:element>
</xs:schema>"""


@pytest.fixture
def suites(tmp_path):
    """``suites(rows)`` → root of the document, which fits the schema."""

    def written(rows):
        write_junit(rows, tmp_path / "junit.xml")
        parser = etree.XMLParser(resolve_entities=False, no_network=True, recover=False)
        root = etree.fromstring((tmp_path / "junit.xml").read_bytes(), parser)
        etree.XMLSchema(etree.fromstring(SCHEMA)).assertValid(root)
        return root

    return written


def test_infeasible_fails_and_what_has_no_verdict_errs(suites, every_kind):
    root = suites(every_kind)
    counts = {"tests": "7", "failures": "1", "errors": "5"}
    for element in (root, root[0]):
        assert {name: element.get(name) for name in counts} == counts
    cases = {case.get("name"): [child.tag for child in case] for case in root.iter("testcase")}
    assert cases["parts/a.toml"] == []
    assert cases["parts/b.toml"] == ["failure", "system-out"]
    assert all(cases[f"{name}.toml"][0] == "error" for name in "cdefg")


def test_a_failure_tells_code_place_and_message(suites, every_kind):
    root = suites(every_kind)
    failure = root.find(".//failure")
    assert failure.get("type") == "P101"
    assert failure.get("message") == "P101: P3 lies 0.120 m beyond the reach."
    assert "where: P3" in failure.text
    assert failure.getparent().get("classname") == "batch.parts"
    assert failure.getnext().text == every_kind[1].report


def test_hostile_texts_stay_text(suites, hostile):
    root = suites(hostile)
    cases = list(root.iter("testcase"))
    assert len(cases) == len(hostile)
    names = [case.get("name") for case in cases]
    assert len(set(names)) == len(names)
    assert names[0] == hostile[0].name == "<script>window.hit=1</script>"
    odd = next(name for name in names if "gnp.exe" in name)
    for code in ("⟨U+202E⟩", "⟨U+0000⟩", "⟨U+0007⟩", "⟨U+D800⟩", "⟨U+FFFE⟩"):
        assert code in odd
    assert names[-1] == "x" * 10_000


def test_five_thousand_jobs_are_five_thousand_cases(suites, generated):
    root = suites(generated)
    assert len(root[0]) == int(root.get("tests")) == 5000
    assert len(root.findall(".//failure")) == int(root.get("failures")) == 1100
    assert len(root.findall(".//error")) == int(root.get("errors")) == 500
