"""Two small valid treebanks, and a file for each rule that breaks it, also for those of udtools: the valid one with a
change."""

from dodona.validation import RULES

PLAIN = """\
# newdoc
# sent_id = one
# text = She doesn't see old oaks.
1	She	she	PRON	_	Case=Nom|Number=Sing	4	nsubj	_	_
2-3	doesn't	_	_	_	_	_	_	_	_
2	does	do	AUX	_	_	4	aux	_	_
3	n't	not	PART	_	Polarity=Neg	4	advmod	_	_
4	see	see	VERB	_	_	0	root	_	_
5	old	old	ADJ	_	_	6	amod	_	_
6	oaks	oak	NOUN	_	Number=Plur	4	obj	_	SpaceAfter=No
7	.	.	PUNCT	_	_	4	punct	_	_

# sent_id = two
# parallel_id = tales/2
# text = The wind moves a leaf of an oak through the old wood.
1	The	the	DET	_	_	2	det	_	_
2	wind	wind	NOUN	_	_	3	nsubj	_	_
3	moves	move	VERB	_	_	0	root	_	_
4	a	a	DET	_	_	5	det	_	_
5	leaf	leaf	NOUN	_	_	3	obj	_	_
6	of	of	ADP	_	_	8	case	_	_
7	an	a	DET	_	_	8	det	_	_
8	oak	oak	NOUN	_	_	5	nmod	_	_
9	through	through	ADP	_	_	12	case	_	_
10	the	the	DET	_	_	12	det	_	_
11	old	old	ADJ	_	_	12	amod	_	_
12	wood	wood	NOUN	_	_	3	obl	_	SpaceAfter=No
13	.	.	PUNCT	_	_	3	punct	_	_

# newpar
# sent_id = three
# text = The o ak.
1	The	the	DET	_	_	2	det	_	_
2	o	oak	NOUN	_	Typo=Yes	0	root	_	_
3	ak	_	X	_	_	2	goeswith	_	SpaceAfter=No
4	.	.	PUNCT	_	_	2	punct	_	_

"""

ENHANCED = """\
# sent_id = four
# text = Oaks and elms
1	Oaks	oak	NOUN	_	_	0	root	0:root	_
2	and	and	CCONJ	_	_	3	cc	3:cc	_
3	elms	elm	NOUN	_	_	1	conj	0:root|1:conj:and	_

# sent_id = five
# text = I saw oaks and you elms
1	I	I	PRON	_	_	2	nsubj	2:nsubj	_
2	saw	see	VERB	_	_	0	root	0:root	_
3	oaks	oak	NOUN	_	_	2	obj	2:obj	_
4	and	and	CCONJ	_	_	5	cc	5.1:cc	_
5	you	you	PRON	_	_	2	conj	5.1:nsubj	_
5.1	saw	see	VERB	_	_	_	_	2:conj	_
6	elms	elm	NOUN	_	_	5	orphan	5.1:obj	_

"""


def plain(*changes: tuple[str, str]) -> bytes:
    return _changed(PLAIN, changes)


def enhanced(*changes: tuple[str, str]) -> bytes:
    return _changed(ENHANCED, changes)


def _changed(text: str, changes: tuple[tuple[str, str], ...]) -> bytes:
    for old, new in changes:
        assert old in text, old
        text = text.replace(old, new, 1)
    return text.encode()


def relabelled(relation: str, tag: str) -> bytes:
    """The valid treebank with another relation and tag for the word that modifies `oaks`."""
    return plain(("5\told\told\tADJ\t_\t_\t6\tamod", f"5\told\told\t{tag}\t_\t_\t6\t{relation}"))


def below(relation: str, tag: str = "ADV", child: str = "nmod") -> bytes:
    """The valid treebank with `old` below `the`, which has this relation."""
    return plain(
        ("10\tthe\tthe\tDET\t_\t_\t12\tdet", f"10\tthe\tthe\t{tag}\t_\t_\t12\t{relation}"),
        ("11\told\told\tADJ\t_\t_\t12\tamod", f"11\told\told\tNOUN\t_\t_\t10\t{child}"),
    )


BAD: dict[str, bytes] = {
    # level 1
    "invalid-utf": plain().replace(b"old", b"\xe4ld"),
    "nul-character": plain(("old", "o\0d")),
    "byte-order-mark": plain(("# newdoc", "\ufeff# newdoc")),
    "non-unix-newline": plain().replace(b"\n", b"\r\n"),
    "lone-return": plain(("old\tADJ", "ol\rd\tADJ")),
    "unicode-normalization": plain(("\tShe\tshe", "\tShe\tshe\u0301")),
    "pseudo-empty-line": plain(("\n\n# newpar", "\n \n# newpar")),
    "extra-empty-line": plain(("\n\n# newpar", "\n\n\n# newpar")),
    "missing-empty-line": plain()[:-1],
    "empty-sentence": plain(("# newpar", "# alone\n\n# newpar")),
    "misplaced-comment": plain(("5\told", "# here\n5\told")),
    "invalid-line": plain(("5\told", "x\told")),
    "number-of-columns": plain(("5\told\told\tADJ", "5\told\tADJ")),
    "empty-column": plain(("ADJ\t_", "ADJ\t")),
    "invalid-whitespace": plain(("ADJ\t_", "ADJ\ta b")),
    "invalid-whitespace-mwt": plain(("doesn't see", "does n't see"), ("\tdoesn't", "\tdoes n't")),
    "leading-whitespace": plain(("old\tADJ", " old\tADJ")),
    "trailing-whitespace": plain(("old\tADJ", "old \tADJ")),
    "repeated-whitespace": plain(("old\tADJ", "old  er\tADJ")),
    "invalid-word-id": plain(("\n5\told", "\n05\told")),
    "word-id-sequence": plain(("\n5\told", "\n6\told")),
    "reversed-word-interval": plain(("\n2-3\t", "\n2-1\t")),
    "misplaced-word-interval": plain(("\n2-3\t", "\n1-3\t")),
    "word-interval-out": plain(("\n2-3\t", "\n2-9\t")),
    "overlapping-word-intervals": plain(("\n3\tn't", "\n3-4\tx\t_\t_\t_\t_\t_\t_\t_\t_\n3\tn't")),
    "misplaced-empty-node": enhanced(("\n5.1\t", "\n5.2\t")),
    "unreadable-file": b"",  # for gzip
    # level 2
    "mwt-nonempty-field": plain(("doesn't\t_", "doesn't\tdo")),
    "empty-node-nonempty-field": enhanced(("VERB\t_\t_\t_\t_\t2:conj", "VERB\t_\t_\t2\tconj\t2:conj")),
    "unknown-upos": plain(("ADJ", "JJ")),
    "invalid-feature": plain(("Number=Plur", "number=Plur")),
    "unsorted-features": plain(("Case=Nom|Number=Sing", "Number=Sing|Case=Nom")),
    "repeated-feature": plain(("Case=Nom|Number=Sing", "Case=Acc|Case=Nom")),
    "unsorted-feature-values": plain(("Case=Nom|", "Case=Nom,Acc|")),
    "repeated-feature-value": plain(("Case=Nom|", "Case=Nom,Nom|")),
    "invalid-deprel": plain(("amod", "Amod")),
    "unknown-udeprel": plain(("amod", "adj")),
    "repeated-misc": plain(("SpaceAfter=No", "SpaceAfter=No|SpaceAfter=No")),
    "missing-sent-id": plain(("# sent_id = two", "# name = two")),
    "invalid-sent-id": plain(("# sent_id = two", "# sent_id = two a")),
    "multiple-sent-id": plain(("# sent_id = two", "# sent_id = two\n# sent_id = too")),
    "non-unique-sent-id": plain(("# sent_id = two", "# sent_id = one")),
    "slash-in-sent-id": plain(("# sent_id = two", "# sent_id = two/a/b")),
    "multiple-newdoc": plain(("# newdoc", "# newdoc\n# newdoc")),
    "multiple-newpar": plain(("# newpar", "# newpar\n# newpar")),
    "spaceafter-newdocpar": plain(("3\tpunct\t_\t_", "3\tpunct\t_\tSpaceAfter=No")),
    "missing-text": plain(("# text = The o", "# note = The o")),
    "multiple-text": plain(("# text = The o", "# text = The\n# text = The o")),
    "empty-text": plain(("# text = The o ak.", "# text =")),
    "text-trailing-whitespace": plain(("The o ak.", "The o ak. ")),
    "text-form-mismatch": plain(("old oaks", "bold oaks")),
    "missing-spaceafter": plain(("SpaceAfter=No", "_")),
    "text-extra-chars": plain(("The o ak.", "The o ak. Yes")),
    "nospaceafter-yes": plain(("SpaceAfter=No", "NoSpaceAfter=Yes")),
    "annotation-marks": plain(("amod\t_\t_", "amod\t_\tConfirmed=upos,arc")),
    "annotation-status": plain(("# newpar", "# newpar\n# annotation = begun")),
    "spaceafter-value": plain(("amod\t_\t_", "amod\t_\tSpaceAfter=Yes")),
    "spaceafter-empty-node": enhanced(("2:conj\t_", "2:conj\tSpaceAfter=No")),
    "spaceafter-mwt-node": plain(("4\taux\t_\t_", "4\taux\t_\tSpaceAfter=No")),
    "invalid-parallel-id": plain(("tales/2", "tales")),
    "multiple-parallel-id": plain(("# parallel_id = tales/2", "# parallel_id = tales/2\n# parallel_id = tales/3")),
    "non-unique-parallel-id": plain(("# newpar", "# newpar\n# parallel_id = tales/2")),
    "parallel-id-sequence": plain(("tales/2", "tales/2/alt2")),
    "invalid-head": plain(("6\tamod", "_\tamod")),
    "unknown-head": plain(("6\tamod", "9\tamod")),
    "head-self-loop": plain(("6\tamod", "5\tamod")),
    "multiple-roots": plain(("4\tobj", "0\troot")),
    "non-tree": plain(("4\tobj", "5\tobj")),
    "invalid-deps": enhanced(("3:cc", "3")),
    "invalid-ehead": enhanced(("3:cc", "a:cc")),
    "unknown-ehead": enhanced(("3:cc", "4:cc")),
    "unsorted-deps": enhanced(("0:root|1:conj:and", "1:conj:and|0:root")),
    "repeated-deps": enhanced(("0:root|1:conj:and", "1:conj:and|1:conj:and")),
    "deps-self-loop": enhanced(("0:root|1:conj:and", "1:conj:and|3:conj")),
    "invalid-edeprel": enhanced(("1:conj:and", "1:conj:And")),
    "unknown-eudeprel": enhanced(("1:conj:and", "1:junction")),
    "edeps-only-sometimes": plain(("6\tamod\t_", "6\tamod\t6:amod")),
    "unconnected-egraph": enhanced(("2:conj", "6:conj")),
    # level 3
    "goeswith-missing-typo": plain(("Typo=Yes", "_")),
    "orphan-beside-empty-nodes": enhanced(("5.1:obj", "5:orphan")),
    "edeps-identical-to-basic-trees": enhanced(("0:root|1:conj:and", "1:conj")).partition(b"# sent_id = five")[0],
}  # fmt: skip
assert BAD.keys() == RULES.keys(), BAD.keys() ^ RULES.keys()

GUIDELINES: dict[str, bytes] = {
    "0-is-not-root": plain(("0\troot", "0\tdep")),
    "root-is-not-0": plain(("amod", "root")),
    "rel-upos-det": relabelled("det", "ADJ"),
    "rel-upos-nummod": relabelled("nummod", "ADJ"),
    "rel-upos-advmod": relabelled("advmod", "NOUN"),
    "rel-upos-expl": relabelled("expl", "ADJ"),
    "rel-upos-aux": relabelled("aux", "VERB"),
    "rel-upos-cop": relabelled("cop", "VERB"),
    "rel-upos-case": relabelled("case", "ADJ"),
    "rel-upos-mark": relabelled("mark", "ADJ"),
    "rel-upos-cc": relabelled("cc", "ADJ"),
    "rel-upos-punct": relabelled("punct", "ADJ"),
    "upos-rel-punct": relabelled("amod", "PUNCT"),
    "rel-upos-fixed": plain(
        ("NOUN\t_\tNumber=Plur\t4\tobj", "PROPN\t_\tNumber=Plur\t5\tfixed"), ("6\tamod", "4\tobj"),
    ),
    "right-to-left-conj": relabelled("conj", "ADJ"),
    "right-to-left-fixed": relabelled("fixed", "ADJ"),
    "right-to-left-flat": relabelled("flat", "ADJ"),
    "right-to-left-goeswith": relabelled("goeswith", "X"),
    "right-to-left-appos": relabelled("appos", "ADJ"),
    "too-many-subjects": plain(("4\tobj", "4\tnsubj:pass")),
    "too-many-objects": plain(("3\tobl", "3\tobj")),
    "obl-should-be-nmod": plain(("5\tnmod", "5\tobl")),
    "leaf-mark-case": below("case"),
    "leaf-aux-cop": below("cop", "AUX"),
    "leaf-det": below("det", "DET"),
    "leaf-clf": below("clf"),
    "leaf-cc": below("cc"),
    "leaf-fixed": below("fixed"),
    "leaf-goeswith": plain(("2\tpunct", "3\tpunct")),
    "leaf-punct": below("punct", "PUNCT"),
    "punct-is-nonproj": plain(
        ("9\tthrough\tthrough\tADP\t_\t_\t12\tcase", "9\tthrough\tthrough\tPUNCT\t_\t_\t1\tpunct"),
    ),
    "punct-causes-nonproj": plain(
        ("9\tthrough\tthrough\tADP\t_\t_\t12\tcase", "9\tthrough\tthrough\tPUNCT\t_\t_\t3\tpunct"),
        ("8\toak\toak\tNOUN\t_\t_\t5", "8\toak\toak\tNOUN\t_\t_\t12"),
    ),
    "goeswith-gap": plain(("3\tak\t_\tX\t_\t_\t2\tgoeswith", "3\tak\tak\tADV\t_\t_\t2\tadvmod"),
                          ("4\t.\t.\tPUNCT\t_\t_\t2\tpunct", "4\t.\t_\tX\t_\t_\t2\tgoeswith")),
    "goeswith-nospace": plain(
        ("The o ak.", "The oak."),
        ("Typo=Yes\t0\troot\t_\t_", "Typo=Yes\t0\troot\t_\tSpaceAfter=No"),
    ),
    "goeswith-lemma": plain(("ak\t_\tX", "ak\toak\tX")),
    "goeswith-upos": plain(("ak\t_\tX", "ak\t_\tNOUN")),
    "goeswith-feats": plain(("ak\t_\tX\t_\t_", "ak\t_\tX\t_\tTypo=Yes")),
    "goeswith-edeps": enhanced(("5\torphan\t5.1:obj", "5\tgoeswith\t5.1:obj"), ("6\telms\telm\tNOUN", "6\telms\t_\tX")),
    "enhanced-0-is-not-root": enhanced(("3\tcc\t3:cc", "3\tcc\t0:cc")),
    "enhanced-root-is-not-0": enhanced(("3:cc", "3:root")),
}  # fmt: skip
