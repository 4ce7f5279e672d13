"""The rules of the ports, as checks that run over any driver: in the tests, and on real parts too."""
