"""The report of a replay: findings, advice, words, charts, the page."""
