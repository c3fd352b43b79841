"""python3 -m unittest discover -s canary -p '*_test.py'"""

import os
import subprocess
import sys
import time
import unittest

from background import CpuMeter

# Uses so much CPU time, says so, and rests until its input ends.
WORK = "import time\nwhile time.process_time() < 0.3: pass\nprint(flush=True)\ninput()"


class CpuMeterTest(unittest.TestCase):
    def measured(self, home: str) -> float:
        program = os.path.realpath(sys.executable)
        meter = CpuMeter((program,), "/the/home")
        with subprocess.Popen([program, "-c", WORK], env={"HOME": home}, text=True,
                              stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
            process.stdout.readline()
            looked = meter.looks
            while meter.looks < looked + 2:
                time.sleep(0.01)
            used = meter.close()
            process.communicate("\n")
        return used

    def test_what_a_process_of_that_home_takes_is_counted(self):
        self.assertGreaterEqual(self.measured("/the/home"), 0.25)

    def test_others_are_not(self):
        self.assertEqual(self.measured("/the/home/of/another"), 0)


if __name__ == "__main__":
    unittest.main()
