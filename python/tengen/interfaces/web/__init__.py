"""The page of `tengen serve`: positions shown and searched, runs watched. Its protocol is in docs/web.md.

Nothing here knows the rules of a game or how to search one; it turns words of the protocol into calls of `Engine`,
`Stepper` and run folders, and shares the cores among those who ask.
"""
