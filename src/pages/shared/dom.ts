/**
 * Draws a page: `h` describes elements, `patch` makes the page match the description. Text goes
 * through text nodes only, never through HTML, so a topping named `<img onerror=…>` shows as its
 * name.
 */

import { noteChange } from "./presses.ts";

/**
 * An attribute that is `false` or undefined is left out. One that begins with `on` is a handler: it
 * is set anew at each draw, so it knows the newest state.
 */
interface Attributes {
  /** Tells an element from its siblings, so that it stays the same element. */
  readonly key?: string | number;
  /** All that a press there depends on, and its place: see presses.ts. */
  readonly pressKey?: string;
  /** Custom properties. */
  readonly style?: Readonly<Record<string, string | number>>;
  readonly onclick?: (() => void) | false | undefined;
  readonly oninput?: ((event: FieldEvent) => void) | undefined;
  readonly onsubmit?: ((event: FormEvent) => void) | undefined;
  /** For a dialog: called however it was closed. */
  readonly onclose?: (() => void) | undefined;
  readonly [name: string]: string | number | boolean | undefined | object;
}

type FieldEvent = Event & { readonly currentTarget: HTMLInputElement };
type FormEvent = Event & { readonly currentTarget: HTMLFormElement };

export interface View {
  readonly tag: string;
  readonly attributes: Attributes;
  readonly children: readonly (View | string)[];
}

/** `false` and undefined draw nothing. */
export type Child = View | string | false | undefined;

/**
 * A button with neither a handler nor a `type` does nothing now. It says so, and stays in reach of
 * the keyboard. One that sends a form has the type "submit".
 */
export function h(tag: string, attributes: Attributes = {}, ...children: readonly Child[]): View {
  const shown = children.filter(isShown);
  if (tag !== "button" || "type" in attributes) return { tag, attributes, children: shown };
  const isIdle = !attributes.onclick;
  const own = { type: "button", "aria-disabled": isIdle && "true", ...attributes };
  return { tag, attributes: own, children: shown };
}

function isShown(child: Child): child is View | string {
  return child !== false && child !== undefined;
}

/** For `onsubmit`: the page reads the form, and the browser does not send it. */
export function submitted(act: (form: HTMLFormElement) => void): (event: FormEvent) => void {
  return (event) => {
    event.preventDefault();
    act(event.currentTarget);
  };
}

/** The names that count, as the value of `class`. */
export function classes(...names: readonly (string | false)[]): string {
  return names.filter((name) => name !== false).join(" ");
}

/** Text for screen readers alone. */
export function unseen(text: string): View {
  return h("span", { class: "unseen" }, text);
}

/** An outline of shapes.svg that takes the color of the text. */
export function icon(name: string): View {
  return h("svg", { class: "icon", viewBox: "0 0 24 24", "aria-hidden": "true" },
    h("use", { href: `${filesPath}shapes.svg#i-${name}` }));
}

/** The field of a search. `below`: what else lies in it. */
export function searchField(
  label: string, value: string, search: (text: string) => void, more: object,
  ...below: readonly Child[]
): View {
  return h("label", { class: "search" }, icon("search"), unseen(label), h("input", {
    type: "search", value, autocomplete: "off", spellcheck: "false",
    oninput: ({ currentTarget }) => { search(currentTarget.value); }, ...more,
  }), ...below);
}

/** How addresses of the page's files begin: "pages/{version}/", on the board with "board-". */
export const filesPath: string = document.querySelector<HTMLMetaElement>("meta[name=files]")
  ?.content ?? "";

interface Drawn {
  readonly view: View | string;
  readonly node: ChildNode;
}

/** The children of each element as they were last drawn. */
const drawn = new WeakMap<Element, readonly Drawn[]>();

/**
 * Makes `children` the content of `parent`. An element with a key stays the same as long as the key
 * is there; others are matched by tag, in order. The focus stays where it is; if its element goes,
 * the element in its place takes it. A view that is the same object as before is skipped. Only what
 * differs from the view before is written, so a browser's translation stays in every element whose
 * own texts and children stay. The value of a field with `oninput` is compared with what it holds.
 */
export function patch(parent: Element, children: readonly Child[]): void {
  const restore = keepFocus();
  arrange(parent, children.filter(isShown));
  restore();
}

let title = "";

/** Writes the document's title if it is another one than before. */
export function nameDocument(text: string): void {
  if (text !== title) document.title = text;
  title = text;
}

function arrange(parent: Element, children: readonly (View | string)[]): void {
  const before = drawn.get(parent);
  const spare = new Map<string, Drawn[]>();
  for (const old of before ?? []) {
    const type = typeOf(old.view);
    spare.set(type, [...(spare.get(type) ?? []), old]);
  }
  const matches = children.map((view) => spare.get(typeOf(view))?.shift());
  // A text that has changed keeps its node.
  const texts = [...spare.values()].flat().filter(({ view }) => typeof view === "string");
  let isMoved = before?.length !== children.length;
  const after = children.map((view, index): Drawn => {
    const old = matches[index] ?? (typeof view === "string" ? texts.shift() : undefined);
    const node = old?.node ?? create(view, parent);
    const isChanged = update(node, old?.view, view);
    isMoved ||= node !== before?.[index]?.node || isChanged && node.parentNode !== parent;
    return { view, node };
  });
  drawn.set(parent, after);
  if (isMoved) moveNodes(parent, after.map(({ node }) => node));
}

/** Two of the same type can be the same node. */
function typeOf(view: View | string): string {
  return typeof view === "string" ? ` ${view}` : `${view.tag} ${view.attributes.key ?? ""}`;
}

function create(view: View | string, parent: Element): ChildNode {
  if (typeof view === "string") return document.createTextNode(view);
  const space = view.tag === "svg" ? "http://www.w3.org/2000/svg" : parent.namespaceURI;
  return document.createElementNS(space, view.tag) as Element;
}

/** Brings the children into their order, and removes all others. */
function moveNodes(parent: Element, nodes: readonly ChildNode[]): void {
  const kept = new Set<Node>(nodes);
  for (const node of [...parent.childNodes]) if (!kept.has(node)) node.remove();
  nodes.forEach((node, index) => {
    const present = parent.childNodes[index];
    if (present !== node) parent.insertBefore(node, present ?? null);
  });
}

/** Whether a text has changed. */
function update(node: ChildNode, before: View | string | undefined, view: View | string): boolean {
  if (before === view) return false;
  if (typeof view === "string") {
    node.textContent = view;
    return true;
  }
  const element = node as HTMLElement;
  const old = typeof before === "object" ? before.attributes : {};
  const names = new Set([...Object.keys(old), ...Object.keys(view.attributes)]);
  for (const name of ["key", "pressKey"]) names.delete(name);
  if (old.pressKey !== view.attributes.pressKey) noteChange(element);
  for (const name of names) {
    const value = view.attributes[name];
    // A field that tells the state what is typed shows what the state makes of it.
    const isTyped = name === "value" && view.attributes.oninput !== undefined;
    const present = isTyped ? (element as HTMLInputElement).value : old[name];
    if (present !== value) setAttribute(element, name, value);
  }
  arrange(element, view.children);
  return false;
}

function setAttribute(element: HTMLElement, name: string, value: Attributes[string]): void {
  if (name === "style") {
    // Not the attribute, which the Content-Security-Policy forbids.
    for (const [property, text] of Object.entries(value ?? {})) {
      element.style.setProperty(property, String(text));
    }
  } else if (name === "value" || name === "checked") Object.assign(element, { [name]: value });
  else if (name.startsWith("on")) Object.assign(element, { [name]: value || null });
  else if (value === false || value === undefined) element.removeAttribute(name);
  else element.setAttribute(name, value === true ? "" : String(value));
}

const focusable = "button, input, a[href], summary, textarea, [tabindex]";

function keepFocus(): () => void {
  const active = document.activeElement as HTMLElement | null;
  const positions: (readonly [parent: Element, index: number])[] = [];
  for (let at: Element | null = active; at?.parentElement; at = at.parentElement) {
    positions.push([at.parentElement, [...at.parentElement.children].indexOf(at)]);
  }
  return () => {
    if (active === null || active === document.activeElement) return;
    // Moved within the page, it has lost the focus.
    if (active.isConnected) return active.focus({ preventScroll: true });
    const [parent, index = 0] = positions.find(([element]) => element.isConnected) ?? [];
    const next = parent?.children[Math.min(index, parent.children.length - 1)];
    const target = next?.matches(focusable) === true ? next : next?.querySelector(focusable);
    (target as HTMLElement | null | undefined)?.focus({ preventScroll: true });
  };
}
