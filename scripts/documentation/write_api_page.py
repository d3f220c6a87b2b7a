"""Writes docs/api.md from proto/engine/v1/engine.proto: every method, message and value with its comment.

`--check` changes nothing and fails when the committed page differs.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from google.protobuf.descriptor_pb2 import (
    DescriptorProto,
    EnumDescriptorProto,
    FieldDescriptorProto,
    FileDescriptorProto,
    FileDescriptorSet,
    ServiceDescriptorProto,
)
from grpc_tools import protoc

ROOT = Path(__file__).resolve().parents[2]
PROTO = "engine/v1/engine.proto"
PAGE = ROOT / "docs" / "api.md"
#: Numbers of fields in descriptor.proto, of which the paths of comments are made.
_MESSAGES, _ENUMS, _SERVICES, _PARTS = 4, 5, 6, 2
_HEAD = f"""# API

The wire contract, made from [`{PROTO}`](../proto/{PROTO}) by `make protos`. Compatible for
the life of v1: fields and values are
added, never renumbered or reused. [web.md](web.md) says how to call it without gRPC.
"""

_Path = tuple[int, ...]


def described() -> FileDescriptorProto:
    """The .proto file with its comments.

    Raises:
        SystemExit: The compiler refused the file; it has said why.
    """
    with tempfile.TemporaryDirectory() as folder:
        written = Path(folder) / "set"
        arguments = ["protoc", f"-I{ROOT / 'proto'}", "--include_source_info", f"--descriptor_set_out={written}"]
        if protoc.main([*arguments, str(ROOT / "proto" / PROTO)]):
            sys.exit("protoc failed")
        return FileDescriptorSet.FromString(written.read_bytes()).file[0]


def page(file: FileDescriptorProto) -> str:
    """The page in Markdown."""
    comments = {
        tuple(place.path): " ".join(f"{place.leading_comments} {place.trailing_comments}".split())
        for place in file.source_code_info.location
    }
    parts = [_HEAD]
    for number, service in enumerate(file.service):
        parts += _service(service, (_SERVICES, number), comments)
    parts.append("## Messages\n")
    for number, message in enumerate(file.message_type):
        parts += _message(message, (_MESSAGES, number), comments)
    parts.append("## Values\n")
    for number, values in enumerate(file.enum_type):
        parts += _values(values, (_ENUMS, number), comments)
    return "\n".join(parts).rstrip() + "\n"


def _service(service: ServiceDescriptorProto, path: _Path, comments: dict[_Path, str]) -> Iterator[str]:
    yield f"## {service.name}\n"
    yield f"{comments.get(path, '')}\n"
    yield "| Method | Takes | Gives | |\n| --- | --- | --- | --- |"
    for number, method in enumerate(service.method):
        gives = f"{'stream of ' if method.server_streaming else ''}{_link(method.output_type)}"
        yield f"| `{method.name}` | {_link(method.input_type)} | {gives} | {_cell(comments, path, number)} |"
    yield ""


def _message(message: DescriptorProto, path: _Path, comments: dict[_Path, str]) -> Iterator[str]:
    yield f"### {message.name}\n"
    if said := comments.get(path):
        yield f"{said}\n"
    if message.field:
        yield "| Field | | Type | |\n| --- | --- | --- | --- |"
    for number, field in enumerate(message.field):
        yield f"| `{field.name}` | {field.number} | {_type(field, message)} | {_cell(comments, path, number)} |"
    yield ""


def _values(values: EnumDescriptorProto, path: _Path, comments: dict[_Path, str]) -> Iterator[str]:
    yield f"### {values.name}\n"
    yield f"{comments.get(path, '')}\n"
    yield "| Value | | |\n| --- | --- | --- |"
    for number, value in enumerate(values.value):
        yield f"| `{value.name}` | {value.number} | {_cell(comments, path, number)} |"
    yield ""


def _type(field: FieldDescriptorProto, message: DescriptorProto) -> str:
    entry = next((one for one in message.nested_type if field.type_name.endswith(f".{message.name}.{one.name}")), None)
    if entry is not None:
        return f"map of {' to '.join(_type(part, entry) for part in entry.field)}"
    name = _link(field.type_name) if field.type_name else FieldDescriptorProto.Type.Name(field.type)[5:].lower()
    if field.label == FieldDescriptorProto.LABEL_REPEATED:
        return f"list of {name}"
    return f"{name}, optional" if field.proto3_optional else name


def _link(type_name: str) -> str:
    name = type_name.rpartition(".")[2]
    return f"[{name}](#{name.lower()})"


def _cell(comments: dict[_Path, str], path: _Path, number: int) -> str:
    return comments.get((*path, _PARTS, number), "").replace("|", "\\|")


def main() -> None:
    """Writes, or checks."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--check", action="store_true")
    made = page(described())
    if not parser.parse_args().check:
        PAGE.write_text(made, "utf-8")
    elif not PAGE.is_file() or PAGE.read_text("utf-8") != made:
        sys.exit("docs/api.md is not what the .proto file gives; run `make protos`")


if __name__ == "__main__":
    main()
