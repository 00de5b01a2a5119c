"""Long work: in several processes, on a cluster, with a bar."""
