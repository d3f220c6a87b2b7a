from __future__ import annotations

import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.retrieval.local.int8 import MOST_SIGNED, MOST_UNSIGNED, products


@settings(max_examples=60, deadline=None)
@given(st.integers(1, 70), st.integers(1, 150), st.integers(0, 1000))
def test_it_is_the_product(length: int, columns: int, seed: int) -> None:
    random = np.random.default_rng(seed)
    row = random.integers(0, MOST_UNSIGNED, length, dtype=np.uint8, endpoint=True)
    matrix = random.integers(-MOST_SIGNED, MOST_SIGNED, (length, columns), dtype=np.int8, endpoint=True)
    np.testing.assert_array_equal(products(row, matrix), row.astype(np.int32) @ matrix.astype(np.int32))


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize(("length", "columns"), [(1, 1), (3, 17), (384, 1_000), (385, 31), (1_024, 33)])
def test_the_largest_factors_are_not_cut_off(length: int, columns: int, sign: int) -> None:
    row = np.full(length, MOST_UNSIGNED, dtype=np.uint8)
    matrix = np.full((length, columns), sign * MOST_SIGNED, dtype=np.int8)
    expected = np.full(columns, sign * length * MOST_UNSIGNED * MOST_SIGNED)
    np.testing.assert_array_equal(products(row, matrix), expected)


def test_threads_do_not_disturb_each_other() -> None:
    random = np.random.default_rng(0)
    matrix = random.integers(-MOST_SIGNED, MOST_SIGNED, (64, 5_000), dtype=np.int8, endpoint=True)
    rows = random.integers(0, MOST_UNSIGNED, (40, 64), dtype=np.uint8, endpoint=True)
    with ThreadPoolExecutor(4) as pool:
        found = np.array(list(pool.map(lambda row: products(row, matrix), rows)))
    np.testing.assert_array_equal(found, rows.astype(np.int32) @ matrix.astype(np.int32))


def test_the_runtime_is_loaded_at_the_first_product_and_sends_nothing() -> None:
    code = """
        import os, sys
        import numpy as np
        from engine.retrieval.local.int8 import products
        assert "onnxruntime" not in sys.modules
        assert products(np.ones(2, np.uint8), np.ones((2, 3), np.int8)).tolist() == [2, 2, 2]
        assert os.environ["ORT_DISABLE_TELEMETRY"] == "1"
    """
    lines = "\n".join(line.strip() for line in code.strip().splitlines())
    subprocess.run([sys.executable, "-c", lines], check=True, timeout=60)
