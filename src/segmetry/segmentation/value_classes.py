"""Labels whose values are classes, or contain them: value = class · K + instance.

The classes of such labels follow from their values, so they are known before the labels are read.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping
from dataclasses import field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from segmetry._base.frozen_dataclass import frozen_dataclass
from segmetry.errors import InputError


@frozen_dataclass()
class ValueClasses(Mapping[int, Hashable]):
    """The class of every integer: value // ``instances_per_class``, by its name if ``names`` has one.

    It cannot be iterated, because every integer has a class.

    >>> ValueClasses()[61], ValueClasses(1000)[26_003], ValueClasses(1000, {26: "car"})[26_003]
    (61, 26, 'car')
    """

    instances_per_class: int = 1
    names: Mapping[int, Hashable] = field(default_factory=dict)

    def __getitem__(self, value: int) -> Hashable:
        number = value // self.instances_per_class
        return self.names.get(number, number)

    def __iter__(self) -> Iterator[int]:
        raise TypeError("every integer has a class; the classes of labels cannot be listed without the labels")

    def __len__(self) -> int:
        raise TypeError("every integer has a class; the classes of labels cannot be counted without the labels")

    def __bool__(self) -> bool:
        return True


@frozen_dataclass()
class WithoutInstances:
    """Removes the instance from values of some classes, so that each of these classes has a single value.

    ``undivided`` are those of them that must not have instances: a value of such a class with an instance other
    than 0 shows that the values are not class · K + instance.
    """

    instances_per_class: int
    classes: tuple[int, ...]
    undivided: Collection[int] = ()

    def __call__(self, values: NDArray[Any]) -> NDArray[Any]:
        """Return the values with instance 0 in these classes.

        >>> WithoutInstances(1000, (255,))(np.array([7002, 255_000, 255_009])).tolist()
        [7002, 255000, 255000]
        """
        numbers = values // self.instances_per_class
        wrong = np.isin(numbers, list(self.undivided)) & (values % self.instances_per_class != 0)
        if wrong.any():
            value, factor = int(values[wrong].flat[0]), self.instances_per_class
            number = value // factor
            raise InputError(
                f"labels contain {value} = {number} · {factor} + {value % factor}: an instance of class {number}, "
                f"which means outside; if that is right state outside={number} (--outside {number}); "
                "otherwise check the number of instances per class, or whether the values are classes"
            )
        return np.where(np.isin(numbers, self.classes), numbers * self.instances_per_class, values).astype(values.dtype)
