"""From labels of stored turns to a promoted artifact."""
