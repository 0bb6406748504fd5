"""The neural scorer: a bidirectional LSTM over the words, in exact integer products, with the same bits everywhere."""
