"""The sample data that ships with segmetry."""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.samples.shipped import write_demo
else:
    __getattr__, __dir__ = names_on_demand(__name__)
