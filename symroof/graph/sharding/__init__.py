"""Sharding: layouts of tensors on a mesh, the moves between them, and what an op needs."""
