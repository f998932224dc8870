"""The graph of the training rows: neighbours, adjacency S, Laplacian, the manifold matrix G, and the smoother R."""

from lsvv.graph.adjacency import Graph, KNNGraph, NeighborGraph
from lsvv.graph.cell_graph import CellGraph
from lsvv.graph.edges import (
    binary_weights,
    check_adjacency,
    full_heat_graph,
    heat_weights,
    self_tuned_weights,
    symmetrize,
)
from lsvv.graph.manifold import LaplacianRows, laplacian, manifold_matrices, manifold_matrix
from lsvv.graph.nearest import FAISS_ROWS, NeighborIndex, NeighborSearch, neighbors
from lsvv.graph.smoothing import Smoother

__all__ = [
    "FAISS_ROWS",
    "CellGraph",
    "Graph",
    "KNNGraph",
    "LaplacianRows",
    "NeighborGraph",
    "NeighborIndex",
    "NeighborSearch",
    "Smoother",
    "binary_weights",
    "check_adjacency",
    "full_heat_graph",
    "heat_weights",
    "laplacian",
    "manifold_matrices",
    "manifold_matrix",
    "neighbors",
    "self_tuned_weights",
    "symmetrize",
]
