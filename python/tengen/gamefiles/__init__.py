"""Games of other people and programs, in files: read, filtered, imported as records, and written again.

`reading` finds the games of a file, one format a module; `filters` says which are wanted; `importing` plays them by the
rules and writes shards; `exporting` writes files of records.
"""
