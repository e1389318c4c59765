"""Answers a person can check: from cited cells and complete tool results, or a decline that says why.

Add here: a way to compose, check or decline an answer.
Never here: finding passages (retrieval/), calling tools (lookup/), scopes (corpus).
"""
