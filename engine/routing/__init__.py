"""The router as the service runs it: layers that can be exchanged, labels out, stored sessions routed again."""
