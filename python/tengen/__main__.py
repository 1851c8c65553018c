"""`python -m tengen`: the command `tengen`, for those who know which Python they want it from."""

from tengen.interfaces.cli import main

if __name__ == "__main__":
    main()
