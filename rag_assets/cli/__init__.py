"""The command line: one file a group of commands.

Holds: commands, their flags and what they print.
Add here: a command.
Never here: deciding anything about documents or answers; a command calls one function of a lower layer and prints.
"""
