"""8 prove: run an entry's script with and without its fix and judge what it printed.

runner.run -> ReproRun -> proof.judge -> Proof -> record.write
"""
