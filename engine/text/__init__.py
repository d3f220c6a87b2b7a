"""What every room reads text with: language, words, sentences, asked-for formats, and the engine's own sentences."""
