"""The declaration of a protocol: the decisions of a community's evaluation.

A protocol states which file formats it is the default of, how void and crowd are treated, and which reference
implementation its numbers equal. Options the user states override it.
"""

from __future__ import annotations

from dataclasses import dataclass

from segmetry._base.registry import Registry


@dataclass(frozen=True)
class Protocol:
    """A community's way of evaluating.

    Parameters
    ----------
    name
        As the command line spells it, such as ``coco-panoptic``.
    field
        The community, in a few words.
    summary
        The decisions, in one sentence.
    formats
        Names of the file formats of the truth that this protocol is the default of.
    policy
        How void elements and crowd segments are treated; see :data:`segmetry.alignments.policy.POLICIES`.
    reference
        The implementation whose numbers it reproduces.
    citation
        Keys of ``references.bib``.
    """

    name: str
    field: str
    summary: str
    formats: tuple[str, ...]
    policy: str
    reference: str
    citation: tuple[str, ...]


PROTOCOLS: Registry[Protocol] = Registry("protocol", package="segmetry.protocols", group="segmetry.protocols")


def declare_protocol(protocol: Protocol) -> Protocol:
    """Register a protocol under its name."""
    PROTOCOLS.declare(protocol.name, protocol)
    return protocol


def protocol_of_format(name: str) -> Protocol | None:
    """Return the protocol that a file format is evaluated by unless the user states another.

    >>> protocol_of_format("coco-panoptic").policy
    'coco'
    >>> protocol_of_format("png") is None
    True
    """
    for protocol in PROTOCOLS.values():
        if name in protocol.formats:
            return protocol
    return None


def default_policy(format_name: str) -> str:
    """Return the policy of a format's protocol, ``"none"`` for a format without one.

    >>> default_policy("cityscapes"), default_policy("npy")
    ('coco', 'none')
    """
    protocol = protocol_of_format(format_name)
    return "none" if protocol is None else protocol.policy
