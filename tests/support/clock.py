"""Time as tests count it: what the processor did for them, whatever else the machine does meanwhile."""

import os


def processor_seconds() -> float:
    """Returns the processor seconds of this process and of those that it has waited for."""
    spent = os.times()
    return spent.user + spent.system + spent.children_user + spent.children_system
