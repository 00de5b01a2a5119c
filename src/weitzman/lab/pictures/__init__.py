"""Pictures of regret: what they show, and how matplotlib and plotly draw it."""
