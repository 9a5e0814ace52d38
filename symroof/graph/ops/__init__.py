"""The op families, one file each; `symroof.graph.registry` finds them all."""
