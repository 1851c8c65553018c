"""What people and programs talk to: the command line; later protocols and the web. All parse and print; none decides."""
