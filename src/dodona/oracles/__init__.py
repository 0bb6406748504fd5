"""Which actions are right here and now."""
