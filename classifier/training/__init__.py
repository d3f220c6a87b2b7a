"""Rows to an artifact: the seed, augmentation, heads, calibration."""
