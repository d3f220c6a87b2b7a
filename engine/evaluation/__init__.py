"""The real pipeline on golden sets, golden conversations and test collections."""
