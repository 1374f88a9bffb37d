/**
 * An owner's link lasts an hour. The board works with it at once, and offers to add this device,
 * in a bar that covers nothing.
 */

import { explain, Refusal, write } from "../shared/api.ts";
import { type Child, h, submitted, unseen } from "../shared/dom.ts";
import { claims, signIn } from "../shared/session.ts";
import { savedText, saveText } from "../shared/storage.ts";
import { t, timeText } from "../shared/words.ts";
import { addDevice, removeDevice } from "./device-requests.ts";
import type { State } from "./state.ts";
import { set } from "./store.ts";

/** The sign-in that was offered to stay, and did not want to. */
const declined = "not-now";

function ownSignIn(): string {
  const { sub = "", exp = 0 } = claims() ?? {};
  return `${exp} ${sub}`;
}

/** A link alone does not let a device stay. */
export function offersToStay(): boolean {
  const { role, device } = claims() ?? {};
  return role === "owner" && device === undefined && savedText(declined) !== ownSignIn();
}

function decline(): void {
  saveText(declined, ownSignIn());
  set({ signInFailure: "" });
}

/** A device that was added here, and whose token has not arrived: nobody holds it. */
const pendingDevice: { id: string | undefined } = { id: undefined };

async function addThisDevice(form: HTMLFormElement): Promise<void> {
  const name = String(new FormData(form).get("name")).trim();
  if (name === "") {
    form.querySelector("input")?.focus();
    return set({ signInFailure: t("It needs a name.") });
  }
  set({ signInFailure: "" });
  try {
    if (pendingDevice.id !== undefined) await removeDevice(pendingDevice.id);
    const { id, code } = await addDevice(name, "owner");
    pendingDevice.id = id;
    const { data } = await write<{ readonly token: string }>("POST", "api/tokens", { code });
    pendingDevice.id = undefined;
    signIn(data.token);
  } catch (fault) {
    const again = fault instanceof Refusal ? "" : ` ${t("Press the button again.")}`;
    set({ signInFailure: explain(fault) + again });
  }
}

export function stayBar({ signInFailure }: State): Child {
  if (!offersToStay()) return undefined;
  const { exp = 0 } = claims() ?? {};
  return h("section", { key: "stay", class: "sign-in stay", "aria-labelledby": "stay-title" },
    h("p", { id: "stay-title" },
      h("b", {}, t("This link ends at {time}.", { time: timeText(exp * 1000) })), " ",
      t("Add this device to stay signed in for 30 days.")),
    h("form", {
      class: "link-form", novalidate: true,
      onsubmit: submitted((form) => { void addThisDevice(form); }),
    },
      h("label", {}, unseen(t("Name of this device")), h("input", {
        name: "name", autocomplete: "off", maxlength: 100, placeholder: t("Name of this device"),
        "aria-describedby": "stay-fault",
      })),
      h("button", { type: "submit", class: "go" }, t("Add this device"))),
    h("button", { class: "plain link", onclick: decline }, t("Not now")),
    h("p", { id: "stay-fault", class: "fault", role: "alert" }, signInFailure));
}
