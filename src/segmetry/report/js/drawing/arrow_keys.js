// @ts-check
// Elements of which one at a time can be reached with the Tab key, and arrow keys move the focus to the others.

/** Make one element of a group the one that Tab reaches, and let keys move the focus and this role to another.
 * @param {HTMLElement} group
 * @param {(HTMLElement | SVGElement)[]} elements those of the group, which have tabindex -1
 * @param {HTMLElement | SVGElement | undefined} first the one that Tab reaches at first
 * @param {(from: number, key: string) => HTMLElement | SVGElement | undefined} next where a key leads from the element
 *   at a position; undefined where it leads nowhere */
export function moveByArrows(group, elements, first, next) {
  first?.setAttribute("tabindex", "0");
  group.onkeydown = (event) => {
    const from = elements.findIndex((element) => element === document.activeElement);
    const to = from < 0 ? undefined : next(from, event.key);
    if (!to) return;
    event.preventDefault();
    elements.forEach((element) => element.setAttribute("tabindex", element === to ? "0" : "-1"));
    to.focus();
  };
}
