"""Other public libraries playing the rounds that weitzman plays: speed and regret."""
