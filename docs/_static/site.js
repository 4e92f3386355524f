// Copy buttons on code, and the boxes that filter a table. Pages are whole without this.
"use strict";

document.addEventListener("DOMContentLoaded", () => {
  addCopyButtons();
  for (const box of document.querySelectorAll("[data-filter]")) enableFilter(box);
});

/** Return what a reader wants of a block: of a session only what was typed. */
function copiedText(block) {
  const lines = block.innerText.replace(/\n+$/, "").split("\n");
  const typed = lines.filter((line) => /^(\$|>>>|\.\.\.)( |$)/.test(line));
  return (typed.length ? typed.map((line) => line.replace(/^(\$|>>>|\.\.\.) ?/, "")) : lines).join("\n");
}

function addCopyButtons() {
  if (!navigator.clipboard) return;
  for (const block of document.querySelectorAll("div.highlight > pre")) {
    const button = document.createElement("button");
    button.className = "copy";
    button.type = "button";
    button.textContent = "copy";
    button.addEventListener("click", async () => {
      await navigator.clipboard.writeText(copiedText(block));
      button.textContent = "copied";
      setTimeout(() => (button.textContent = "copy"), 1500);
    });
    block.parentElement.append(button);
  }
}

/** Show the rows that contain every word, and a chosen word of each group with one. */
function enableFilter(box) {
  const rows = [...document.querySelectorAll(`#${box.dataset.filter} tbody tr`)];
  const input = box.querySelector("input");
  const show = () => {
    const words = input.value.toLowerCase().split(/\s+/).filter(Boolean);
    const groups = [...box.querySelectorAll("[data-group]")]
      .map((group) => [...group.querySelectorAll("[aria-pressed=true]")].map((chip) => chip.dataset.word))
      .filter((chosen) => chosen.length);
    let shown = 0;
    for (const row of rows) {
      const own = row.dataset.words.split("|");
      const fits =
        words.every((word) => row.dataset.text.includes(word)) &&
        groups.every((chosen) => chosen.some((word) => own.includes(word)));
      row.hidden = !fits;
      shown += fits ? 1 : 0;
    }
    box.querySelector(".found").textContent = `${shown} of ${rows.length}`;
    history.replaceState(null, "", input.value ? `#q=${encodeURIComponent(input.value)}` : location.pathname);
  };
  for (const chip of box.querySelectorAll("[data-word]")) {
    chip.addEventListener("click", () => {
      chip.setAttribute("aria-pressed", chip.getAttribute("aria-pressed") === "true" ? "false" : "true");
      show();
    });
  }
  input.addEventListener("input", show);
  box.hidden = false;
  const asked = /^#q=(.*)$/.exec(location.hash);
  if (asked) input.value = decodeURIComponent(asked[1]);
  if (asked) show();
}
