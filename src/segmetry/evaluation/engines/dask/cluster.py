"""Dask: a cluster of workers, given as a ``distributed.Client`` or by the address of its scheduler, or started here.

Tasks travel as paths and how to read them. A task of a worker that dies is given to another one, and its result is the
same.
"""

from __future__ import annotations

import importlib
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from segmetry.errors import EngineError, MissingExtraError, OptionError
from segmetry.evaluation.engines.dask import in_flight as dask_flight
from segmetry.evaluation.engines.dask import worker_preload as dask_interrupts
from segmetry.evaluation.engines.dask.dashboard import dashboard_of
from segmetry.evaluation.engines.dask.in_flight import Flight, first_line
from segmetry.evaluation.engines.engine import Notify, declare_engine

CONNECT_SECONDS = 10.0


def local_cluster(
    function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], jobs: int, told: Notify | None = None
) -> Iterator[tuple[int, Any]]:
    """Workers on this machine, one process for each job, started now and stopped at the end."""
    distributed = _distributed()
    facts: dict[str, Any] = {"threads_per_worker": 1, "processes": True, "silence_logs": logging.CRITICAL}
    facts["dashboard_address"] = "127.0.0.1:0"  # any free port, where the usual one may be taken
    wanted = importlib.import_module("dask").config.get("distributed.worker.preload", [])
    facts["preload"] = [*([wanted] if isinstance(wanted, str) else wanted), dask_interrupts.__name__]
    try:
        cluster = distributed.LocalCluster(n_workers=jobs, **facts)
    except RuntimeError as problem:
        raise EngineError(
            f"the dask workers of this machine do not start ({first_line(problem)}); each of them imports the script "
            "that is run, so in a script the evaluation must stand under if __name__ == '__main__':"
        ) from None
    with cluster, distributed.Client(cluster) as client:
        yield from on_client(client, function, tasks, told)


def on_address(
    address: str, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], told: Notify | None = None
) -> Iterator[tuple[int, Any]]:
    """The cluster whose scheduler listens at an address."""
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as problem:
        raise EngineError(
            f"no dask scheduler answers at {address} within {CONNECT_SECONDS:.0f} s "
            f"({first_line(problem)}); is it running, and reachable from this machine?"
        ) from None
    with client:
        yield from on_client(client, function, tasks, told)


def check_address(address: str) -> None:
    """Refuse what is no address; a client that is made for one would take long to go away.

    >>> check_address("tcp://10.0.0.1:8786")
    """
    _distributed()
    addressing, registry = (importlib.import_module(f"distributed.comm.{name}") for name in ("addressing", "registry"))
    try:
        scheme, place = addressing.parse_address(address)
        registry.get_backend(scheme)
        if scheme != "inproc" and not 0 < addressing.parse_host_port(place)[1] < 2**16:
            raise ValueError(f"no port has the number in {place!r}")
    except ValueError as problem:
        raise OptionError(
            f"{address!r} is no address of a dask scheduler: {first_line(problem)}; expected tcp://HOST:PORT"
        ) from None
    security = importlib.import_module("distributed.security").Security()
    if scheme in ("tls", "wss") and security.get_connection_args("client").get("ssl_context") is None:
        raise OptionError(
            f"{address!r} needs the keys of the cluster: name them in dask's configuration, distributed.comm.tls, or "
            "make a distributed.Client with them and pass that as the engine"
        )


def on_client(
    client: Any, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], told: Notify | None = None
) -> Iterator[tuple[int, Any]]:
    """A cluster somebody is connected to already; the connection stays open."""
    _wait_for_workers(client)
    dashboard = None if told is None else dashboard_of(client)
    if told is not None and dashboard is not None:
        told(f"dask dashboard: {dashboard}")
    run = Flight(client, function)
    remaining = iter(tasks)
    try:
        while True:
            for number, task in itertools.islice(remaining, run.room):
                run.submit(number, task)
            if run.is_over:
                return
            found = run.next_result()
            if found is not None:
                yield found
    finally:
        run.cancel()


def _wait_for_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=dask_flight.WORKER_SECONDS)
    except (OSError, TimeoutError):
        raise EngineError(
            f"the dask scheduler at {client.scheduler.address} has no workers after "
            f"{dask_flight.WORKER_SECONDS:.0f} s; start some, for example with 'dask worker ADDRESS'"
        ) from None


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError("the dask engine", "dask") from None


declare_engine("dask", local_cluster)
