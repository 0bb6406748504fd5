"""Components that train, apply, save and load themselves."""
