"""Fields of JSON documents: rows of fields, and of whole documents."""
