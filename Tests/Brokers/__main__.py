"""The bus as a program, beside other brokers: Scripts/bench peers, memory, home, noise, instructions, record.

    python3 Tests/Brokers BENCHMARK REVEILLE
"""
import pathlib
import sys

import comparison
import home
import limits
from brokers import Reveille

PERFORMANCE = pathlib.Path(__file__).resolve().parent.parent.parent / "Docs/Contributing/Performance"

benchmark, Reveille.program = sys.argv[1:]
if benchmark == "peers":
    comparison.run(PERFORMANCE)
elif benchmark == "memory":
    limits.measure_memory()
elif benchmark == "home":
    home.measure_home()
elif benchmark == "noise":
    home.measure_noise()
else:
    limits.measure_instructions(PERFORMANCE / "instructions", is_recording=benchmark == "record")
