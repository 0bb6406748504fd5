"""The tagger: UPOS, XPOS and FEATS."""
