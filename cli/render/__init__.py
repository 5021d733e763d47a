"""Renderers: functions from a report to text. They know nothing of graphs or gradients."""
