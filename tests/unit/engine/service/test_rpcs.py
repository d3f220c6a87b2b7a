from __future__ import annotations

from pathlib import Path
from typing import Any, cast

import pytest
from google.protobuf.message_factory import GetMessageClass

from engine.service.calls import SERVICE, Call
from engine.service.methods import AssistanceService
from engine.service.rpcs import stream_rpcs, unary_rpcs
from engine.testing import ScriptedRouter
from engine.v1 import engine_pb2 as pb


@pytest.fixture
def service() -> AssistanceService:
    nothing = cast("Any", None)
    return AssistanceService(nothing, ScriptedRouter(), nothing, Path("none"))


def test_every_rpc_of_the_wire_is_served_with_its_own_messages(service: AssistanceService) -> None:
    unary, streams = cast("dict[str, Any]", unary_rpcs(service)), cast("dict[str, Any]", stream_rpcs(service))
    assert set(unary) == {method.name for method in SERVICE.methods if not method.server_streaming}
    assert set(streams) == {method.name for method in SERVICE.methods if method.server_streaming}
    for name, rpc in {**unary, **streams}.items():
        assert rpc.request is GetMessageClass(SERVICE.methods_by_name[name].input_type)


async def test_a_request_of_another_type_is_a_mistake(service: AssistanceService) -> None:
    call = Call("Classify", "r", "local", None)
    assert cast("pb.Route", await unary_rpcs(service)["Classify"](pb.ClassifyRequest(query="hi"), call)).type
    with pytest.raises(TypeError, match=r"engine\.v1\.ClassifyRequest is needed"):
        await unary_rpcs(service)["Classify"](pb.AgentRequest(query="hi"), call)
