"""What is in a file: its content, its table as stored, the roles of its columns, and its problems."""
