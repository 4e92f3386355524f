"""Results as text: terminal tables, CSV, Parquet, the explanation of a metric."""
