"""The op families: each module declares ops and public functions, and loads when one of them is used."""
