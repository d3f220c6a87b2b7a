"""Protobuf messages as proto3 JSON, read as forgivingly as binary protobuf and written in full.

Source: the ProtoJSON format (protobuf.dev/programming-guides/json). Field names are read in both spellings and written
in lowerCamelCase. Unknown fields are left out, as binary does with them, so that a newer client can be served; a value
that its field cannot have is refused by the field's name, enum names among them.
"""

from __future__ import annotations

import json
from typing import Any

from google.protobuf.descriptor import Descriptor, FieldDescriptor, MethodDescriptor
from google.protobuf.json_format import MessageToDict, ParseDict, ParseError
from google.protobuf.message import Message
from google.protobuf.message_factory import GetMessageClass

from engine.errors import InvalidInput
from engine.service.calls import check_size


def parse_json(method: MethodDescriptor, data: bytes) -> Message:
    """The request of `method` in JSON; no bytes at all are an empty request.

    Raises:
        InvalidInput: It is no JSON object, too large, or a field has a value that it cannot have.
    """
    try:
        value = json.loads(data or b"{}")
    except (ValueError, RecursionError):
        raise InvalidInput("request", "is not JSON in UTF-8") from None
    if not isinstance(value, dict):
        raise InvalidInput("request", f"must be a JSON object with the fields of {method.input_type.full_name}")
    message: Message = GetMessageClass(method.input_type)()
    known = _known(value, method.input_type)
    for name, given in known.items():
        try:
            ParseDict({name: given}, message)
        except (ParseError, RecursionError, ValueError):
            raise InvalidInput(*_problem(method.input_type, name)) from None
    check_size(message.ByteSize())
    return message


def to_json(message: Message) -> bytes:
    """A message as JSON, fields without a value included, those of a oneof only where they are set."""
    return json.dumps(
        MessageToDict(message, always_print_fields_with_no_presence=True), ensure_ascii=False, separators=(",", ":")
    ).encode("utf-8", "replace")


def _fields(descriptor: Descriptor) -> dict[str, FieldDescriptor]:
    """Fields by both of their names."""
    return {name: field for field in descriptor.fields for name in (field.name, field.json_name)}


def _known(value: Any, descriptor: Descriptor) -> Any:
    """`value` without the fields that a message does not have, at any depth."""
    if isinstance(value, list):
        return [_known(item, descriptor) for item in value]
    if not isinstance(value, dict):
        return value
    fields = _fields(descriptor)
    kept = {name: (fields[name].message_type, item) for name, item in value.items() if name in fields}
    return {name: item if inner is None else _known(item, inner) for name, (inner, item) in kept.items()}


def _problem(descriptor: Descriptor, name: str) -> tuple[str, str]:
    """The field's name in the .proto file, and what it would have to be."""
    field = _fields(descriptor)[name]
    if field.enum_type is not None:
        return field.name, f"is none of {', '.join(value.name for value in field.enum_type.values)}"
    kinds = {FieldDescriptor.CPPTYPE_STRING: "text", FieldDescriptor.CPPTYPE_INT32: "a whole number of 32 bits"}
    kind = field.message_type.full_name if field.message_type else kinds.get(field.cpp_type, "such a value")
    many = "a list of " if field.is_repeated else ""
    return field.name, f"has a value of another kind; it must be {many}{kind}"
