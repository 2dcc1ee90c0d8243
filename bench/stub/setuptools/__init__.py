"""Stands in for the build backend of source archives, so that none of their code runs."""
