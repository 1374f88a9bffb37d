/**
 * Builds and arranges elements. All text goes through text nodes: nothing in these pages is ever
 * parsed as HTML, so a topping named `<img onerror=…>` shows as its name.
 */

type Attributes = Readonly<Record<string, string>>;

export function el<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Attributes = {}, ...children: readonly (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const name in attributes) element.setAttribute(name, attributes[name] ?? "");
  element.append(...children);
  return element;
}

export function button(
  look: string, click: () => void, ...children: readonly (Node | string)[]
): HTMLButtonElement {
  const element = el("button", { type: "button", class: look }, ...children);
  element.addEventListener("click", click);
  return element;
}

/** The page's own element of that id. */
export function byId<T extends HTMLElement>(id: string, type: new () => T): T {
  const element = document.getElementById(id);
  if (!(element instanceof type)) throw new Error(`#${id} is not the element expected`);
  return element;
}

/** Elements of the page of which it matters only that they hold text or are shown. */
export function part(id: string): HTMLElement {
  return byId(id, HTMLElement);
}

export function onClick(id: string, act: () => void): void {
  part(id).addEventListener("click", act);
}

/** Makes `nodes` the children of `parent`, moving only what is out of place: focus stays put. */
export function arrange(parent: Element, nodes: readonly Element[]): void {
  const had = [...parent.children].findIndex((one) => one.matches(":focus-within"));
  for (const child of [...parent.children]) if (!nodes.includes(child)) child.remove();
  nodes.forEach((node, index) => {
    const there = parent.children[index];
    if (there !== node) parent.insertBefore(node, there ?? null);
  });
  if (!parent.matches(":focus-within")) {
    nodes[Math.min(had, nodes.length - 1)]?.querySelector<HTMLElement>("button, input")?.focus();
  }
}

/** Leaves the node alone when it already says so: no needless layout, no repeated announcement. */
export function setText(node: Node, text: string): void {
  if (node.textContent !== text) node.textContent = text;
}

/** As `setText`, for elements. */
export function setChildren(parent: Element, children: readonly Element[]): void {
  const now = [...parent.children];
  const isSame = now.length === children.length
    && now.every((child, at) => child.isEqualNode(children[at] ?? null));
  if (!isSame) parent.replaceChildren(...children);
}

/** Heard by screen readers, seen by nobody. */
export function unseen(text: string): HTMLElement {
  return el("span", { class: "unseen" }, text);
}

/** Asks in a dialog of the page; Enter means `no`. False: `no`, or closed without a word. */
export function ask(question: string, yes: string, no: string): Promise<boolean> {
  const dialog = el("dialog", { class: "ask", "aria-label": question }, el("p", {}, question));
  const answer = (value: string, look: string, label: string) =>
    button(look, () => { dialog.close(value); }, label);
  const refuse = answer("", "", no);
  refuse.autofocus = true;
  dialog.append(el("p", { class: "actions" }, answer("yes", "main", yes), refuse));
  document.body.append(dialog);
  dialog.showModal();
  return new Promise((resolve) => {
    dialog.addEventListener("close", () => {
      dialog.remove();
      resolve(dialog.returnValue === "yes");
    });
  });
}

export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => {
    setTimeout(resolve, milliseconds);
  });
}
