/** A switch of the board whose position this device remembers. */

import { onClick, part, setText } from "./dom.ts";
import { keep, kept } from "./session.ts";

export class Switch {
  readonly #id: string;
  on: boolean;

  /**
   * `id` is the button's; `id-state` inside it says the position. On until switched off. `isOther`:
   * whether a click on it means something else.
   */
  constructor(id: string, changed: () => void, isOther: (on: boolean) => boolean = () => false) {
    this.#id = id;
    this.on = kept(id, "localStorage") !== "off";
    this.show("");
    onClick(id, () => {
      if (isOther(this.on)) return;
      this.on = !this.on;
      keep(id, this.on ? "on" : "off", "localStorage");
      this.show("");
      changed();
    });
  }

  /** `remark`: what the switch still waits for. */
  show(remark: string): void {
    part(this.#id).setAttribute("aria-checked", String(this.on));
    setText(part(`${this.#id}-state`), (this.on ? "on" : "off") + remark);
  }
}
