"""The running table: its loop, its socket for the gateway and the requests it takes, and the doctor."""
