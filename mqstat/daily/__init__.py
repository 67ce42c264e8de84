"""Every day without care: dumps that arrived in a folder go into a dataset, each day gets its report, old days go."""
