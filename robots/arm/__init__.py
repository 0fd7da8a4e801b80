"""The five-axis measuring arm: every inverse solution in closed form, its task and its margins."""
