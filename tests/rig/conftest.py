"""The tests in `inside` run in the virtual machine only; test_rig.py boots it."""

collect_ignore = ["inside"]
