# for other compiled modules only
