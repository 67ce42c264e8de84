"""Plans: sizing formulas that IBM publishes, filled with the figures of the site.

A plan is a file of `reports/plan`: `model` reads it, `statements` writes its SQL, `settings` what the user sets,
`inputs` fills its parameters from a database, the site file, settings and defaults, `formula` computes its steps, and
`answer` puts the result together for the writers.
"""
