"""What people and programs talk to: they parse and print, and decide nothing."""
