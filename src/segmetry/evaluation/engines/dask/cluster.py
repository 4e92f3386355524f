"""Dask: a cluster of workers, passed as a ``distributed.Client`` or by the address of its scheduler, or started here.

Tasks are sent as paths with reading options. The task of a worker that dies is rerun by another worker, with the same
result.
"""

from __future__ import annotations

import importlib
import itertools
import logging
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from typing import Any

from segmetry.errors import EngineError, MissingExtraError, OptionError
from segmetry.evaluation.engines.dask import in_flight, worker_preload
from segmetry.evaluation.engines.dask.in_flight import ClusterTasks, first_line
from segmetry.evaluation.engines.engine import Notify, declare_engine

CONNECT_SECONDS = 10.0
ANSWER_SECONDS = 2.0
_NO_BOKEH = b"Dask needs bokeh"


def local_cluster(
    function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], jobs: int, notify: Notify | None = None
) -> Iterator[tuple[int, Any]]:
    """Run tasks on workers of this machine, one process per job, started now and stopped at the end."""
    distributed = _distributed()
    settings: dict[str, Any] = {"threads_per_worker": 1, "processes": True, "silence_logs": logging.CRITICAL}
    settings["dashboard_address"] = "127.0.0.1:0"  # any free port: the usual one may be in use
    preload = importlib.import_module("dask").config.get("distributed.worker.preload", [])
    settings["preload"] = [*([preload] if isinstance(preload, str) else preload), worker_preload.__name__]
    try:
        cluster = distributed.LocalCluster(n_workers=jobs, **settings)
    except RuntimeError as problem:
        raise EngineError(
            f"the dask workers of this machine do not start ({first_line(problem)}); each of them imports the script "
            "that is run, so in a script the evaluation must stand under if __name__ == '__main__':"
        ) from None
    with cluster, distributed.Client(cluster) as client:
        yield from on_client(client, function, tasks, notify)


def on_address(
    address: str, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], notify: Notify | None = None
) -> Iterator[tuple[int, Any]]:
    """Run tasks on the cluster whose scheduler listens at an address."""
    distributed = _distributed()
    try:
        client = distributed.Client(address, timeout=CONNECT_SECONDS, set_as_default=False)
    except (OSError, TimeoutError) as problem:
        raise EngineError(
            f"no dask scheduler answers at {address} within {CONNECT_SECONDS:.0f} s "
            f"({first_line(problem)}); is it running, and reachable from this machine?"
        ) from None
    with client:
        yield from on_client(client, function, tasks, notify)


def check_address(address: str) -> None:
    """Reject text that is not an address: a client for it would take long to give up."""
    _distributed()
    addressing, registry = (importlib.import_module(f"distributed.comm.{name}") for name in ("addressing", "registry"))
    try:
        scheme, location = addressing.parse_address(address)
        registry.get_backend(scheme)
        if scheme != "inproc" and not 0 < addressing.parse_host_port(location)[1] < 2**16:
            raise ValueError(f"invalid port number in {location!r}")
    except ValueError as problem:
        raise OptionError(
            f"{address!r} is not the address of a dask scheduler: {first_line(problem)}; expected tcp://HOST:PORT"
        ) from None
    security = importlib.import_module("distributed.security").Security()
    if scheme in ("tls", "wss") and security.get_connection_args("client").get("ssl_context") is None:
        raise OptionError(
            f"{address!r} needs the keys of the cluster: name them in dask's configuration, distributed.comm.tls, or "
            "make a distributed.Client with them and pass that as the engine"
        )


def on_client(
    client: Any, function: Callable[[Any], Any], tasks: Iterable[tuple[int, Any]], notify: Notify | None = None
) -> Iterator[tuple[int, Any]]:
    """Run tasks on the cluster of an open client, which stays open."""
    _wait_for_workers(client)
    dashboard = None if notify is None else dashboard_of(client)
    if notify is not None and dashboard is not None:
        notify(f"dask dashboard: {dashboard}")
    tasks_in_flight = ClusterTasks(client, function)
    remaining = iter(tasks)
    try:
        while True:
            for number, task in itertools.islice(remaining, tasks_in_flight.free_slots):
                tasks_in_flight.submit(number, task)
            if tasks_in_flight.is_finished:
                return
            result = tasks_in_flight.next_result()
            if result is not None:
                yield result
    finally:
        tasks_in_flight.cancel()


def dashboard_of(client: Any) -> str | None:
    """Return the address of the dashboard of a client's cluster; None if this machine cannot reach one.

    Every scheduler has an address for it. Without bokeh on the machine of the scheduler the page only asks to install
    it, and with the dashboard switched off there is no page. So the page is requested before its address is shown.
    """
    with suppress(KeyError):  # a scheduler without a web server
        link = client.dashboard_link
        if isinstance(link, str) and link.startswith(("http://", "https://")) and _has_content(link):
            return link
    return None


def _has_content(link: str) -> bool:
    import urllib.request
    from http.client import HTTPException

    direct = urllib.request.build_opener(urllib.request.ProxyHandler({}))
    try:
        with direct.open(link, timeout=ANSWER_SECONDS) as answer:
            return answer.status == 200 and _NO_BOKEH not in answer.read(2**16)
    except (OSError, ValueError, HTTPException):
        return False


def _wait_for_workers(client: Any) -> None:
    try:
        client.wait_for_workers(1, timeout=in_flight.WORKER_SECONDS)
    except (OSError, TimeoutError):
        raise EngineError(
            f"the dask scheduler at {client.scheduler.address} has no workers after "
            f"{in_flight.WORKER_SECONDS:.0f} s; start some, for example with 'dask worker ADDRESS'"
        ) from None


def _distributed() -> Any:
    try:
        return importlib.import_module("distributed")
    except ImportError:
        raise MissingExtraError("the dask engine", "dask") from None


declare_engine("dask", local_cluster)
