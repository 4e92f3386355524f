"""A widget for notebooks (anywidget) that shows the report of a run, opened at an item.

The page of :meth:`segmetry.Run.report` is shown in a frame of its own, so its scripts are used as they are. The widget
and the page agree on the fragment of the page's address, which states page, rule, item and filter.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any
from urllib.parse import parse_qs, urlencode

from segmetry._base import importing
from segmetry.errors import UnknownNameError
from segmetry.report import render
from segmetry.run import Run

with importing("segmetry.adapters.item_widget", "anywidget"):
    import anywidget
    import traitlets

FRAME = """
function render({ model, el }) {
  const url = URL.createObjectURL(new Blob([model.get("page")], { type: "text/html" }));
  const frame = document.createElement("iframe");
  frame.title = "segmetry report";
  frame.style.cssText = `width: 100%; height: ${model.get("height")}px; border: 1px solid #8884;`;
  frame.src = url + model.get("address");
  const shown = () => frame.contentWindow.location.hash;
  const tell = () => {
    if (shown() === model.get("address")) return;
    model.set("address", shown());
    model.save_changes();
  };
  frame.addEventListener("load", () => {
    const { history } = frame.contentWindow;
    for (const name of ["pushState", "replaceState"]) {
      const change = history[name].bind(history);
      history[name] = (...values) => {
        change(...values);
        tell();
      };
    }
    frame.contentWindow.addEventListener("popstate", tell);
  });
  const follow = () => {
    if (shown() !== model.get("address")) frame.contentWindow.location.hash = model.get("address");
  };
  const resize = () => {
    frame.style.height = `${model.get("height")}px`;
  };
  model.on("change:address", follow);
  model.on("change:height", resize);
  el.append(frame);
  return () => {
    model.off("change:address", follow);
    model.off("change:height", resize);
    URL.revokeObjectURL(url);
  };
}
export default { render };
"""


class ItemWidget(anywidget.AnyWidget):  # type: ignore[misc]
    """The report of one run, or of several on the same items, in a notebook.

    Parameters
    ----------
    runs : Run or sequence of Run
        What is shown.
    item : str, optional
        The item that is open first.
    height : int
        The height of the widget in pixels.
    options
        Options of the report, such as ``maps`` (which items have pictures).

    ``item`` is the name of the open item, also after a click; setting it opens another. ``address`` states everything
    that is shown, and can be observed: ``widget.observe(function, "address")``.
    """

    _esm = FRAME
    page = traitlets.Unicode().tag(sync=True)
    address = traitlets.Unicode("#view=items").tag(sync=True)
    height = traitlets.Int(640).tag(sync=True)

    def __init__(
        self, runs: Run | Sequence[Run], item: str | None = None, *, height: int = 640, **options: Any
    ) -> None:
        shown = [runs] if isinstance(runs, Run) else list(runs)
        self._names = shown[0].names
        super().__init__(page=render(shown, **options), height=height)
        if item is not None:
            self.item = item

    @property
    def item(self) -> str | None:
        """The name of the open item, None where none is open."""
        names = parse_qs(str(self.address).removeprefix("#")).get("item")
        return names[0] if names else None

    @item.setter
    def item(self, name: str) -> None:
        if name not in self._names:
            raise UnknownNameError(f"there is no item {name!r} in the run")
        stated = {key: values[0] for key, values in parse_qs(self.address.removeprefix("#")).items()}
        self.address = f"#{urlencode({**stated, 'view': 'items', 'item': name})}"
