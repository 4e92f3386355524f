"""Attacks and faults: damaged files, crashing decoders, interrupts, threads, full disks, killed processes."""
