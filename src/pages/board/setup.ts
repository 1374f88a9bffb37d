/** A new shop: which of three steps comes next while sizes, toppings or pizzas are missing. */

import { h, icon, unseen, type View } from "../shared/dom.ts";
import { isComplete, type Menu } from "../shared/menu.ts";
import { comma, lengthText, numberText, t } from "../shared/words.ts";
import { addTitles, openItemForm } from "./item-form.ts";
import { openPizzaForm } from "./pizza-form.ts";

interface SetupStep {
  readonly name: string;
  readonly about: string;
  readonly addLabel: string;
  readonly add: () => void;
  /** The names of those there are, and their number in words. */
  readonly names: readonly string[];
  readonly count: string;
}

/** Names that are shown; more of them are counted. */
const maxNames = 3;

/** Undefined: nothing is missing. */
export function setupView(menu: Menu): View | undefined {
  const steps = setupSteps(menu);
  const next = steps.findIndex(({ names }) => names.length === 0);
  return next < 0 ? undefined : h("div", { key: "steps", class: "nothing steps" },
    h("h2", {}, t("Three steps to the first order")),
    h("p", { class: "soft" }, t("All of it can be changed later, under Menu.")),
    h("ol", { class: "panel rows" }, ...steps.map((step, index) =>
      stepRow(step, index, index === next))));
}

function setupSteps(menu: Menu): readonly SetupStep[] {
  const { pizzasizes, toppings, shop } = menu;
  // A pizza that lacks a topping is none yet.
  const pizzas = shop.pizzas.filter((pizza) => isComplete(menu, pizza));
  return [
    {
      name: t("Sizes"), about: t("How large your pizzas are, such as Small, {length}.", {
        length: lengthText(9),
      }),
      addLabel: addTitles.pizzasizes, add: () => { openItemForm("pizzasizes"); },
      names: pizzasizes.map(({ name }) => name),
      count: t("{count} sizes", { count: pizzasizes.length }),
    },
    {
      name: t("Toppings"), about: t("All that can lie on them, with what is vegan."),
      addLabel: addTitles.toppings, add: () => { openItemForm("toppings"); },
      names: toppings.map(({ name }) => name),
      count: t("{count} toppings", { count: toppings.length }),
    },
    {
      name: t("Pizzas"), about: t("Your menu card: a name and its toppings each."),
      addLabel: t("Add a pizza"), add: () => { openPizzaForm(); },
      names: pizzas.map(({ name }) => name),
      count: t("{count} pizzas", { count: pizzas.length }),
    },
  ];
}

function stepRow(step: SetupStep, index: number, isNext: boolean): View {
  const { name, about, addLabel, add, names, count } = step;
  const isDone = names.length > 0;
  const there = names.length <= maxNames ? names.join(comma) : count;
  return h("li", { key: name, class: isDone ? "done" : isNext ? "next" : "ahead" },
    h("i", { class: "dot", "aria-hidden": "true" }, isDone ? icon("check") : numberText(index + 1)),
    h("div", {}, h("h3", {}, name), h("p", { class: "soft" }, isDone ? there : about)),
    h("button", { class: isNext ? "go" : "", onclick: add },
      isDone ? t("Add another") : addLabel, isDone && unseen(` ${name}`)));
}
