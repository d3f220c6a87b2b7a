"""How a question is taken apart, looked up with tools, and its draft checked."""
