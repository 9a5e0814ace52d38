"""One reader for each family of models: from the fields of a ``config.json`` to a config."""
