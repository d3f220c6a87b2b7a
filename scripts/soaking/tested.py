"""Rows that tests hold: `make test` runs them short, here they run at their full size.

A test says what it did by `record_property("figure", ...)`.
"""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from xml.etree import ElementTree as ET

from scripts.benchmarks.harness.children import ROOT
from scripts.soaking.rows import Row

#: In one process, in order, and nothing left in the folder.
_PYTEST = ("-m", "pytest", "-q", "-n", "0", "-p", "no:cacheprovider", "-o", "junit_family=xunit1")
#: Seconds that one test may take at its full size.
_TEST_SECONDS = 3600


@dataclass(frozen=True, slots=True)
class Suite:
    """Tests that hold one row.

    Attributes:
        name: Of the row.
        tests: Files or names of tests, as pytest takes them.
        backends: Whether those against real servers belong to it.
    """

    name: str
    tests: Sequence[str]
    backends: bool = False

    def run(self, folder: Path) -> list[Row]:
        """Runs them in a process of their own."""
        report = folder / "report.xml"
        done = subprocess.run(
            [
                *(sys.executable, *_PYTEST),
                *(f"--timeout={_TEST_SECONDS}", f"--junitxml={report}", f"--basetemp={folder / 'tests'}"),
                *(() if self.backends else ("-m", "not backends")),
                *self.tests,
            ],
            cwd=ROOT,
            env={**os.environ, "TEST_FULL_SIZE": "1"},
            stdout=sys.stderr,
            check=False,
        )
        return [row_of(self.name, report.read_text("utf-8"), done.returncode)]


def row_of(name: str, report: str, code: int) -> Row:
    """The row of a run: from its report in JUnit's form, and pytest's exit code."""
    cases = list(ET.fromstring(report).iter("testcase"))  # noqa: S314  # pytest has just written it
    skipped = sum(case.find("skipped") is not None for case in cases)
    failed = [case.get("name", "") for case in cases for kind in ("failure", "error") if case.find(kind) is not None]
    told = [
        noted.get("value", "") for case in cases for noted in case.iter("property") if noted.get("name") == "figure"
    ]
    counted = f"{len(cases) - skipped - len(failed)} of {len(cases)} tests passed"
    counted += f", {skipped} not run here" if skipped else ""
    figure = "; ".join([*dict.fromkeys(told), counted, *(f"FAILED {one}" for one in failed)])
    return Row(name, figure, None if skipped == len(cases) else code == 0)


_CONTRACT = "tests/contract"
SUITES = {
    "kills": Suite(
        "kill -9 x 200: turn, index, export, artifact",
        [
            f"{_CONTRACT}/test_kills.py",
            f"{_CONTRACT}/test_indexer.py::test_a_kill_at_any_moment_of_an_update_leaves_a_whole_state",
        ],
    ),
    "order": Suite(
        "8 turns at once on one session x 100, in one and in two processes",
        [f"{_CONTRACT}/test_session_order.py::test_eight_turns_at_once_are_sixteen_messages_in_order"],
        backends=True,
    ),
    "faults": Suite(
        "14 faults of Ollama, 10 of Elasticsearch, disk full, store locked",
        [
            f"{_CONTRACT}/test_ollama_faults.py",
            "tests/integration/test_elastic_faults.py",
            f"{_CONTRACT}/test_session_store.py::test_a_full_disk_is_said_and_shows_in_health_until_there_is_room",
            f"{_CONTRACT}/test_session_store.py::test_a_locked_database_is_unavailable_and_usable_afterwards",
        ],
        backends=True,
    ),
    "artifacts": Suite(
        "14 bad artifacts",
        [
            "tests/unit/classifier/linear/test_artifact.py",
            "tests/unit/engine/routing/test_router.py",
            "tests/e2e/test_process.py::test_a_broken_artifact_leaves_the_service_up_and_says_so",
        ],
    ),
    "hostile": Suite(
        "50,000 mutated protobufs, 300 Unicode strings, 500 query-syntax strings, 20 authentication cases",
        [
            "tests/e2e/test_hostile_input.py",
            f"{_CONTRACT}/test_identity.py::test_credentials_that_identify_nobody",
            f"{_CONTRACT}/test_identity.py::test_a_revoked_key_and_a_replaced_one",
            f"{_CONTRACT}/test_tls.py",
        ],
    ),
    "principals": Suite(
        "100,000 steps over principals and sessions",
        [f"{_CONTRACT}/test_identity.py::test_no_principal_reads_or_changes_anothers_session"],
    ),
    "poison": Suite("200 poisoned passages, 100 route attacks", ["tests/e2e/test_poison.py"]),
    "canaries": Suite(
        "5,000 requests with canaries in every field and errors at every stage", [f"{_CONTRACT}/test_canaries.py"]
    ),
}
