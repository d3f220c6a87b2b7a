"""The engine beside what people would pick instead, measured in one run."""
