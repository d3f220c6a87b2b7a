"""Stored sessions: the port, the SQL store behind it, and the locks that keep a session's turns in order."""
