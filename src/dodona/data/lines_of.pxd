# nothing for other compiled modules
