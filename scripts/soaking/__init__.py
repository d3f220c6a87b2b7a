"""The rows of `make soak`: what is promised of a service under load, under attack and when it is killed."""
