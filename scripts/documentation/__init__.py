"""Pages of the documentation that come from code, their pictures, and the site."""
