"""What the rows of documents come to: sums, differences, which of two is more."""
