// @ts-check
// How the page looks: dark or light, large type; on paper; and which keys it knows.

import { el } from "../drawing/dom.js";

const KEYS = [
  ["/ or Ctrl K", "search items, classes and ids"],
  ["1, 2, 3", "on an error: real, the label is wrong, unclear"],
  [", .", "one slice or frame; space plays, n finds the next lost object"],
  ["j, k", "the next and the previous item, worst first"],
  ["arrows", "from tile to tile, from segment to segment"],
  ["Enter", "open what has the focus"],
  ["Esc", "close a panel or the search"],
  ["?", "this list"],
];

/** @param {HTMLElement} element
 * @param {() => Promise<void>} print */
export function mountDisplay(element, print) {
  const root = document.documentElement;
  const system = matchMedia("(prefers-color-scheme: dark)");
  const dark = el("button", { type: "button", id: "dark", title: "dark or light" }, "dark");
  const large = el("button", { type: "button", id: "large", title: "large type", "aria-pressed": "false" }, "A+");
  const paper = el("button", { type: "button", id: "print", title: "print this page" }, "print");
  const all = el("button", { type: "button", id: "print-all", title: "print all pages" }, "print all");
  const help = el("button", { type: "button", id: "help", title: "keys" }, "?");
  const names = ["dark colours", "A+, large type", "print this page", "? keys"];
  [dark, large, paper, help].forEach((button, at) => button.setAttribute("aria-label", names[at]));
  element.append(el("span", { class: "display" }, dark, large, paper, help));
  /** @param {boolean} isDark */
  const paint = (isDark) => {
    root.dataset.theme = isDark ? "dark" : "light";
    dark.setAttribute("aria-pressed", String(isDark));
    document.dispatchEvent(new Event("theme"));
  };
  paint(system.matches);
  system.addEventListener("change", () => paint(system.matches));
  dark.addEventListener("click", () => paint(root.dataset.theme !== "dark"));
  large.addEventListener("click", () => {
    const isLarge = root.toggleAttribute("data-large");
    large.setAttribute("aria-pressed", String(isLarge));
  });
  const printed = (/** @type {boolean} */ isAll) => {
    root.toggleAttribute("data-all-pages", isAll);
    print();
  };
  paper.addEventListener("click", () => printed(false));
  all.addEventListener("click", () => {
    dialog.close();
    printed(true);
  });
  const dialog = keyDialog(all);
  document.body.append(dialog);
  help.addEventListener("click", () => dialog.showModal());
  document.addEventListener("keydown", (event) => {
    const isTyping = event.target instanceof Element && event.target.matches("input, select, textarea");
    if (event.key === "?" && !isTyping && !dialog.open) dialog.showModal();
    if (event.key === "p" && (event.ctrlKey || event.metaKey)) {
      event.preventDefault();
      printed(false);
    }
  });
}

/** @param {HTMLElement} all what prints all pages
 * @returns {HTMLDialogElement} */
function keyDialog(all) {
  const rows = KEYS.flatMap(([key, words]) => [el("dt", {}, el("kbd", {}, key)), el("dd", {}, words)]);
  const close = el("button", { type: "button", onclick: () => dialog.close() }, "close");
  const heading = el("h2", { id: "keys-heading" }, "Keys");
  const list = el("dl", { class: "facts" }, rows);
  const dialog = /** @type {HTMLDialogElement} */ (
    el("dialog", { id: "keys", "aria-labelledby": "keys-heading" }, heading, list, all, " ", close)
  );
  return dialog;
}
