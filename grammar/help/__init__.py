"""What an error can say beyond its first line: labels, torch's words, what other libraries call things."""
