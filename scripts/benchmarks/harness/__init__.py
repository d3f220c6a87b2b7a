"""What the sections of the benchmarks stand on: processes, load, material and the report."""
