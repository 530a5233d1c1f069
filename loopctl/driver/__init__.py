"""The thin shell around the machine: a mailbox, the carrying out of orders, timers, signals."""
