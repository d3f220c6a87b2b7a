"""Retry policy for Korvo workers.

This module decides whether a failed render is attempted again, and how long
the worker waits before the next attempt. It has no dependency on the queue or
on the ledger, so that it can be tested in isolation.

The waiting time grows exponentially from ``BASE_DELAY`` and never exceeds
``MAX_DELAY``. A random jitter of up to 20 percent is added so that workers
that failed together do not come back together.
"""

import random
from dataclasses import dataclass, field

#: Seconds to wait before the second attempt.
BASE_DELAY = 2.0

#: Upper limit, in seconds, for any single wait.
MAX_DELAY = 120.0

#: Largest fraction of the delay that is added as jitter.
JITTER = 0.20

#: Error codes that are never retried, because the data itself is wrong.
PERMANENT_CODES = frozenset({"KV-1001", "KV-1002", "KV-1010", "KV-2003"})


class RetryBudgetExceeded(Exception):
    """Raised when a tenant has used up its hourly retry budget."""


class PermanentFailure(Exception):
    """Raised when an error cannot be cured by trying again."""

    def __init__(self, code, message=""):
        super().__init__(message or code)
        self.code = code


@dataclass
class RetryBudget:
    """Counts the retries of one tenant during the current hour.

    The budget protects the platform from a tenant whose template fails
    every time: without it, retries would take the place of healthy jobs.
    The default of 250 retries per hour was chosen from the 99th percentile
    of the traffic of 2024.
    """

    limit: int = 250
    used: int = 0

    def spend(self):
        """Consume one retry.

        Raises:
            RetryBudgetExceeded: if no retries are left in this hour.
        """
        if self.used >= self.limit:
            raise RetryBudgetExceeded(f"limit of {self.limit} retries reached")
        self.used += 1

    def reset(self):
        """Set the counter to zero. The scheduler calls it on the hour."""
        self.used = 0


@dataclass
class RetryPolicy:
    """Combines the limit of attempts, the delays and the tenant budgets.

    Args:
        max_attempts: total attempts, including the first one.
        base_delay: wait before the second attempt, in seconds.
        max_delay: ceiling for any wait, in seconds.

    Example:
        >>> policy = RetryPolicy(max_attempts=4)
        >>> policy.should_retry("acme", attempt=1, code="KV-5001")
        True
    """

    max_attempts: int = 4
    base_delay: float = BASE_DELAY
    max_delay: float = MAX_DELAY
    budgets: dict = field(default_factory=dict)

    def budget_for(self, tenant):
        """Return the budget of a tenant, creating it on first use."""
        return self.budgets.setdefault(tenant, RetryBudget())

    def should_retry(self, tenant, attempt, code):
        """Tell whether a job may be attempted again.

        Returns False when the attempts are exhausted. A permanent error
        raises PermanentFailure instead of returning False, so that the
        caller can record the code in the audit trail.
        """
        if code in PERMANENT_CODES:
            raise PermanentFailure(code)
        if attempt >= self.max_attempts:
            return False
        self.budget_for(tenant).spend()
        return True

    def delay(self, attempt, rng=random):
        """Return the seconds to wait after the given attempt.

        The delay doubles with each attempt. Pass a seeded ``rng`` in tests
        to obtain a repeatable jitter.
        """
        raw = self.base_delay * (2 ** (attempt - 1))
        capped = min(raw, self.max_delay)
        return capped + capped * JITTER * rng.random()


def run_with_retries(policy, tenant, render):
    """Call ``render`` until it succeeds or the policy gives up.

    ``render`` must return a tuple ``(ok, code)``. The function returns the
    number of attempts made. It returns a negative number if the job failed
    for good. It does not sleep: the caller is expected to requeue the job
    with the delay that the policy computes.
    """
    attempt = 1
    while True:
        ok, code = render()
        if ok:
            return attempt
        if not policy.should_retry(tenant, attempt, code):
            return -attempt
        attempt += 1
