"""One module for each format of files: bytes or text in, Markdown out; `by_suffix` chooses among them."""
