"""The index in Elasticsearch."""
