"""From state to text: what agents are told. Pure functions, one file for each role."""
