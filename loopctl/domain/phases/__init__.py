"""One file for each stretch of a round: what every event there leads to.

They build on each other in one direction only: spending <- ending <- admission <- waiting <-
auditing <- settling <- turn <- baseline <- interruption. A round goes on by calling the stretch
under it. Beside them stand concerns, fallback and judges (under auditing), handover (under turn),
and ledgers, which only adds reports up.
"""
