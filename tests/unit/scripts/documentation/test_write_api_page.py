"""The API page is what the .proto file says."""

from __future__ import annotations

import re

import pytest
from google.protobuf.descriptor_pb2 import FileDescriptorProto

from engine.v1 import engine_pb2 as pb
from scripts.documentation.write_api_page import PAGE, described, page


@pytest.fixture(scope="module")
def file() -> FileDescriptorProto:
    return described()


def test_the_committed_page_is_the_one_that_the_contract_gives(file: FileDescriptorProto) -> None:
    assert PAGE.read_text("utf-8") == page(file), "run `make protos`"


def test_it_names_every_method_field_and_value_that_the_stubs_have(file: FileDescriptorProto) -> None:
    named = set(re.findall(r"^\| `(\w+)` \|", page(file), re.MULTILINE))
    expected = {method.name for method in pb.DESCRIPTOR.services_by_name["AssistanceService"].methods}
    expected |= {field.name for one in pb.DESCRIPTOR.message_types_by_name.values() for field in one.fields}
    expected |= {value.name for one in pb.DESCRIPTOR.enum_types_by_name.values() for value in one.values}
    assert named == expected


def test_every_link_on_it_leads_to_a_heading(file: FileDescriptorProto) -> None:
    made = page(file)
    headings = {heading.lower() for heading in re.findall(r"^#+ (\w+)$", made, re.MULTILINE)}
    assert set(re.findall(r"\]\(#(\w+)\)", made)) <= headings


def test_comments_before_and_behind_a_line_are_both_kept(file: FileDescriptorProto) -> None:
    made = page(file)
    assert "| `query` | 1 | string | The question; 1 to 32,768 bytes of UTF-8, not only white space. |" in made
    assert "| `RETRIEVAL` | 1 | to understand the language or the documentation |" in made


def test_maps_lists_streams_and_optional_fields_are_told_apart(file: FileDescriptorProto) -> None:
    made = page(file)
    assert "| `milliseconds` | 14 | map of string to double |" in made
    assert "| `opinions` | 15 | list of [LayerOpinion](#layeropinion) |" in made
    assert "double, optional" in made
    assert "| `AskAgentStream` | [AgentRequest](#agentrequest) | stream of [AgentEvent](#agentevent) |" in made


def test_a_bar_in_a_comment_does_not_end_its_cell() -> None:
    file = FileDescriptorProto()
    file.enum_type.add(name="E").value.add(name="A", number=0)
    file.source_code_info.location.add(path=[5, 0, 2, 0], trailing_comments=" one | two\n")
    assert "| `A` | 0 | one \\| two |" in page(file)
