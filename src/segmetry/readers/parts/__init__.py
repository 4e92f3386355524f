"""What several formats have in common: JSON, text, tables, PNG rows, COCO masks, safe paths and names."""
