"""One turn in, the events of its answer out: the prepare graph, its steps, and the engine that streams."""
