"""The public Python API, which `import mqstat` offers: decoding, datasets and dumps as Arrow tables. docs/python.md
shows it in use.
"""
