"""Layers of neural networks: activations, convolution, pooling, normalization, embedding."""
