"""Drop-ins: modules with the names, signatures and results of other packages, computed by segmetry.

Write ``from segmetry.compat.pycocotools import COCO, COCOeval`` in place of the imports of ``pycocotools``, or, for
code that is not yours, ``segmetry.compat.patch("pycocotools")`` before it runs. Known faults of a package are
reproduced, and said once with the right value.
"""

from typing import TYPE_CHECKING

from segmetry._base import names_on_demand

if TYPE_CHECKING:
    from segmetry.compat.patched import patch
else:
    __getattr__, __dir__ = names_on_demand(__name__)
