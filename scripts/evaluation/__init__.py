"""Figures of a running engine, of its router beside a peer, and of answers with a real model."""
