"""How good a router is: outcomes on rows it has not seen, what moves it, and the bounds it may not fall behind."""
