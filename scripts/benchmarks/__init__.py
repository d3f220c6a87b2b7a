"""What `make bench` measures: one module a subject."""
