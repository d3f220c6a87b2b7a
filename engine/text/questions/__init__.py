"""What a message names of what it is asked of: sides, rows, sections by their numbers, and figures that were stated."""
