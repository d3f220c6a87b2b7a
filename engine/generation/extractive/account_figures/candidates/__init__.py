"""All ways to answer a question: what values say, what they come to in pairs, and over the rows of tables."""
