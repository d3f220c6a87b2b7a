from __future__ import annotations

import pytest

from engine.errors import DependencyUnavailable, PermissionDenied, Unauthenticated
from engine.identity.port import LOCAL, Identity, Rejected, Scope
from engine.service.access import LONGEST, SCOPES, Access, bearer
from engine.service.calls import SERVICE, InFlight, open_call
from engine.service.status import Code, status_of


class Doorman:
    """Knows scopes by token: `ask`, `evaluate`; `down` is a check that cannot be made, `odd` one that breaks."""

    def identify(self, token: str) -> Identity:
        if token == "down":
            raise DependencyUnavailable("identity", "callers cannot be identified now")
        if token == "odd":
            raise KeyError("a surprise")
        if token not in set(Scope):
            raise Rejected("unknown")
        return Identity(f"who has {token}", frozenset({Scope(token)}))


def test_every_method_has_a_scope() -> None:
    assert {method.name for method in SERVICE.methods} <= set(SCOPES)


def test_open_is_one_principal_that_may_everything() -> None:
    assert Access().identify("EvaluateRAG", ["whatever"]) is LOCAL


@pytest.mark.parametrize("value", ["Bearer ask", "bearer ask", "BEARER  ask ", " Bearer ask"])
def test_the_case_of_the_scheme_does_not_matter(value: str) -> None:
    assert Access(Doorman()).identify("AskAgent", [value]).principal == "who has ask"


@pytest.mark.parametrize(
    ("values", "reason"),
    [
        ([], "missing"),
        (["Bearer ask", "Bearer ask"], "several"),
        (["Bearer " + "a" * LONGEST], "too_long"),
        ([""], "not_bearer"),
        (["ask"], "not_bearer"),
        (["Bearer"], "not_bearer"),
        (["Bearer "], "not_bearer"),
        (["Basic ask"], "not_bearer"),
        (["Bearer ask, Bearer ask"], "not_bearer"),
        (["Bearer as\tk"], "not_bearer"),
        (["Bearer äsk"], "not_bearer"),
    ],
)
def test_what_is_no_bearer_token(values: list[str], reason: str) -> None:
    with pytest.raises(Rejected) as caught:
        bearer(values)
    assert caught.value.reason == reason
    with pytest.raises(Unauthenticated):
        Access(Doorman()).identify("AskAgent", values)


def test_whoever_is_unknown_is_told_the_same() -> None:
    told = set()
    for values in ([], ["Bearer nobody"], ["Basic x"], ["Bearer a", "Bearer b"]):
        with pytest.raises(Unauthenticated) as caught:
            Access(Doorman()).identify("AskAgent", values)
        status = status_of(caught.value, "r-1")
        told.add((status.code, status.message, status.trailers))
    assert len(told) == 1
    code, message, trailers = told.pop()
    assert code is Code.UNAUTHENTICATED
    assert message.startswith("authorization: ")
    assert trailers == (("www-authenticate", "Bearer"),)


@pytest.mark.parametrize("scope", list(Scope))
def test_a_method_needs_its_scope(scope: Scope) -> None:
    access = Access(Doorman())
    for method, needed in [*SCOPES.items(), ("Unheard", Scope.ADMIN)]:
        if scope in (needed, Scope.ADMIN):
            assert access.identify(method, [f"Bearer {scope}"])
            continue
        with pytest.raises(PermissionDenied, match=f"authorization: this needs the scope `{needed}`") as caught:
            access.identify(method, [f"Bearer {scope}"])
        assert status_of(caught.value, "r-1").code is Code.PERMISSION_DENIED


async def test_a_call_that_is_refused_is_not_served_and_has_no_principal() -> None:
    in_flight = InFlight()
    for values, error in (
        ((), Unauthenticated),
        ((("authorization", "Bearer evaluate"),), PermissionDenied),
        ((("authorization", "Bearer down"),), DependencyUnavailable),
        ((("authorization", "Bearer odd"),), KeyError),
        ((("authorization", b"Bearer ask"),), Unauthenticated),
    ):
        call = open_call(Access(Doorman()), "AskAgent", values, None)
        assert (call.principal, call.platform) == ("", False)
        with pytest.raises(error), in_flight.counted(call):
            raise AssertionError("it was served")


async def test_a_call_is_its_principals_and_counted_for_it() -> None:
    metadata = (("x-request-id", "r-7"), ("authorization", "Bearer ask"))
    call = open_call(Access(Doorman()), "AskAgent", metadata, None, "ipv4:10.0.0.7:40001")
    assert (call.principal, call.caller, call.platform, call.request_id) == ("who has ask",) * 2 + (False, "r-7")
    assert open_call(Access(), "AskAgent", (), None).platform


def test_refusals_are_counted_in_the_log_without_a_word_of_the_credentials(
    capsys: pytest.CaptureFixture[str],
) -> None:
    now = [0.0]
    access = Access(Doorman(), clock=lambda: now[0])
    for at in (0.0, 0.1, 0.2, 1.5):
        now[0] = at
        with pytest.raises(Unauthenticated):
            access.identify("AskAgent", ["Bearer canary-7"])
    printed = capsys.readouterr()
    lines = [line for line in (printed.out + printed.err).splitlines() if "[identity]" in line]
    assert ["1 refused" in lines[0], "3 refused" in lines[1], len(lines)] == [True, True, 2]
    assert "canary" not in printed.out + printed.err
