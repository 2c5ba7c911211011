"""Property tests: the same examples in every run, so that a failure is a change of the code.

`HYPOTHESIS_PROFILE=search` draws other examples each time, and reduces what fails, which takes long.
"""

import os

from hypothesis import HealthCheck, Phase, settings

settings.register_profile(
    "fixed",
    derandomize=True,
    database=None,
    deadline=None,
    phases=(Phase.explicit, Phase.generate),
    suppress_health_check=list(HealthCheck),
)
settings.register_profile("search", settings.get_profile("fixed"), derandomize=False, phases=list(Phase))
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "fixed"))
