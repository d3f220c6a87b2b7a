"""What a plan can look things up with: the port, and the tools that are built in or configured."""
