"""The rules of the ports as checks for any driver, in the tests and on real parts."""
