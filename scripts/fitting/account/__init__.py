"""What the ranking of account figures is fitted to, and by what."""
