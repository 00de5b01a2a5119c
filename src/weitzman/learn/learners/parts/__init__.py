"""What several learners are made of: compiled steps, optimism, regularisation, checked rows."""
