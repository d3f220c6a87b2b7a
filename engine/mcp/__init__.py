"""The engine as a server of the Model Context Protocol: tools and documents for assistants, over stdio and HTTP."""
