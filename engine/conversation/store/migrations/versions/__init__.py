"""The steps, one module each, in the order of their numbers. A step that has been released is never changed."""
