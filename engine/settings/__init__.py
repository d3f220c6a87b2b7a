"""Every variable of the environment, read once; what they mean is in `settings`, and by subject in the others."""

from __future__ import annotations

from engine.settings.settings import Settings, describe, load_settings

__all__ = ["Settings", "describe", "load_settings"]
