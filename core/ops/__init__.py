"""The op families: each module declares ops and public functions and loads when one of its names is used."""
