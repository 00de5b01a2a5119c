"""The running service without its network: state, group commit, slow work, processes that share a journal."""
