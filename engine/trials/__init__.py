"""Retrieval and conversation, measured on test collections of questions asked in the course of conversations."""
