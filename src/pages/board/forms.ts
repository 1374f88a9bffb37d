/** The frame, the fields and the saving of the forms of the menu and of the shop. */

import { longestName, longestText } from "../../resources/limits.ts";
import { explain } from "../shared/api.ts";
import { ask } from "../shared/dialogs.ts";
import { type Child, h, submitted, unseen, type View } from "../shared/dom.ts";
import { t } from "../shared/words.ts";
import { dialogFrame } from "./dialog-frame.ts";
import { type Form, type FormDialog, freshForm } from "./dialog-state.ts";
import { closeDialog, drawNow, openDialog, state, typeInto } from "./store.ts";

interface FormParts {
  readonly title: string;
  /** Whether something was typed that is not saved. */
  readonly isTyped: boolean;
  /** Undefined: its cross alone leaves it, as where items are added one after the other. */
  readonly leaveLabel: string | undefined;
  /** Leads to the dialog before. */
  readonly back?: () => void;
  readonly saveLabel?: string;
  /** All that Save depends on: see shared/dom.ts. */
  readonly pressKey?: string;
  readonly save: () => Promise<void>;
}

export function formDialog(
  { failure, saved, isSaving }: Form, parts: FormParts, ...fields: readonly Child[]
): View {
  const { title, isTyped, leaveLabel, back, save, saveLabel = t("Save"), pressKey = "" } = parts;
  const leave = async (go: () => void): Promise<void> => {
    if (await mayThrowAway(isTyped)) go();
  };
  const close = (): void => { void leave(closeDialog); };
  const goBack = back && ((): void => { void leave(back); });
  return dialogFrame({ name: "form", title, close, ...goBack && { back: goBack } }, [
    h("form", {
      id: "form", novalidate: true, "aria-busy": isSaving && "true",
      onsubmit: submitted(() => { void save(); }),
    }, ...fields),
  ], [
    h("p", { class: "fault", role: "alert" }, failure),
    h("p", { class: "soft if-any", role: "status" }, saved),
    h("button", { type: "submit", form: "form", class: "go", pressKey }, saveLabel),
    leaveLabel !== undefined && h("button", { key: "leave", onclick: goBack ?? close }, leaveLabel),
  ]);
}

type InputHandler = (event: { readonly currentTarget: HTMLInputElement }) => void;

/**
 * For `oninput`: takes a text of up to `longest` code points as it is. A longer one is not taken at
 * all, since its beginning may say another thing: the field shows `before` again, and says why.
 */
export function takeWhole(
  before: string, longest: number, take: (text: string) => void,
): InputHandler {
  return ({ currentTarget: field }) => {
    const isTooLong = [...field.value].length > longest;
    field.setCustomValidity(isTooLong
      ? t("It can have up to {number} letters.", { number: longest }) : "");
    if (!isTooLong) return take(field.value);
    field.value = before;
    field.reportValidity();
  };
}

/** Resolves to whether the dialog may go: typed text is thrown away only after a question. */
async function mayThrowAway(isTyped: boolean): Promise<boolean> {
  return !isTyped || ask(t("Throw away what you typed?"), t("Throw away"), t("Go on typing"),
    { className: "ink" });
}

/** The text of a field: typed, else as it was at first. */
export function textIn({ typed }: Form, field: string, first: string): string {
  return typed[field] ?? first;
}

export interface Field {
  readonly name: string;
  readonly label: string;
  /** In code points. Default: those of a name. */
  readonly longest?: number;
  /** The rest of its name, for people who hear it. */
  readonly about?: string;
  /** The text that the field begins with. */
  readonly first: string;
  /** The text that somebody else has written meanwhile. */
  readonly newer?: string | undefined;
}

export function textField(form: Form, field: Field, more: object = {}): View {
  const { name, label, about = "", longest = longestName } = field;
  const fault = form.faults[name] ?? "";
  const title = h("span", {}, label, about !== "" && unseen(` ${about}`));
  const value = textIn(form, name, field.first);
  return h("label", { key: name }, title, h("input", {
    name, value, autocomplete: "off", ...more,
    oninput: takeWhole(value, longest, (text) => { typeInto(name, text); }),
    "aria-describedby": `fault-${name}`, "aria-invalid": fault !== "" && "true",
  }), h("span", { class: "fault", id: `fault-${name}` }, fault), newerText(field));
}

export function textArea(form: Form, field: Field, more: object): View {
  const { name, label, first, longest = longestText } = field;
  const value = textIn(form, name, first);
  return h("label", { key: name }, h("span", {}, label), h("textarea", {
    name, value, ...more, oninput: takeWhole(value, longest, (text) => { typeInto(name, text); }),
  }), newerText(field));
}

/** The text of the field is "true" or "false". */
export function checkbox(form: Form, field: Field): View {
  const { name, label, first } = field;
  return h("label", { key: name, class: "checkbox" }, h("span", {}, label), h("input", {
    type: "checkbox", name, checked: textIn(form, name, first) === "true",
    oninput: ({ currentTarget: { checked } }) => { typeInto(name, String(checked)); },
  }), newerText(field));
}

/** A question that must be answered: its text is the value of an answer. */
export function choice(form: Form, field: Field, answers: Readonly<Record<string, string>>): View {
  const { name, label, first } = field;
  const fault = form.faults[name] ?? "";
  return h("fieldset", { key: name, class: "choice wrap" },
    h("legend", {}, label),
    ...Object.entries(answers).map(([value, text]) => h("label", { key: value, class: "checkbox" },
      h("span", {}, text), h("input", {
        type: "radio", name, value, checked: value === textIn(form, name, first),
        oninput: () => { typeInto(name, value); },
        "aria-describedby": `fault-${name}`, "aria-invalid": fault !== "" && "true",
      }))),
    h("span", { class: "fault", id: `fault-${name}` }, fault), newerText(field));
}

/** Under a field that somebody else has changed. */
export function newerText({ newer }: Pick<Field, "newer">): Child {
  return newer !== undefined && h("span", { class: "fault" },
    newer === "" ? t("Now: none") : t("Now: {text}", { text: newer }));
}

/**
 * Saves once, however often Save is pressed. `save` resolves to what went wrong, or to "". Without
 * a fault `next` follows.
 */
export async function saveForm(
  dialog: FormDialog, faults: Form["faults"], save: () => Promise<string>, next: () => void,
): Promise<void> {
  if (dialog.isSaving) return;
  const isRight = Object.keys(faults).length === 0;
  const saving = { ...dialog, faults, failure: "", saved: "", isSaving: isRight };
  openDialog(saving);
  drawNow();
  if (!isRight) return document.querySelector<HTMLElement>("dialog [aria-invalid]")?.focus();
  const failure = await save().catch(explain);
  const { dialog: shown } = state();
  // The dialog was closed, or another one was opened.
  if (shown?.type !== dialog.type || !shown.isSaving) return;
  if (failure !== "") return openDialog({ ...shown, failure, isSaving: false });
  next();
  drawNow();
}

/** The same form, empty, for the next one; the name has the focus. */
export function addAnother(dialog: FormDialog, name: string): void {
  openDialog({ ...dialog, ...freshForm, saved: t("{name} saved", { name }) });
  drawNow();
  document.querySelector<HTMLElement>("dialog [name=name]")?.focus();
}
