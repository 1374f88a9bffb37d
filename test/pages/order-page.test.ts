/** From the menu to a placed order, and who may place it (contract part 7). */

import assert from "node:assert/strict";
import { keys, type Window } from "./browser.ts";
import {
  add, choose, choosePizzas, chosen, holdings, message, order, orders, placedNumber, placeHeld,
  rowWith, topping,
} from "./customer.ts";
import { cardIn, held, shopTest } from "./shop.ts";

shopTest("an order goes from the customer's page to the board and every step comes back",
  async (shop) => {
    const [page, board] = await Promise.all([shop.orderPage(), shop.board()]);
    await choose(page, "Mushrooms", "Mozzarella", "Mozzarella");
    await add(page, "Chinotto");
    const basket = ["Large | Mushrooms, 2×\u00a0Mozzarella | 1", "Chinotto | 0.33 l can | 1"];
    await page.is(chosen, basket);
    await page.reload();
    await page.is(chosen, basket);
    await page.click("#place");
    const group = await placedNumber(page);
    const mozzarella = { id: "mozzarella", name: "Mozzarella" };
    const { id: _, placedAt, updatedAt, statusSince, ...placed } = (await orders(shop))[0] ?? {};
    assert.deepEqual(placed, {
      pizzaSize: { id: "grande", name: "Large" },
      toppings: [{ id: "funghi", name: "Mushrooms" }, mozzarella, mozzarella],
      beverages: [{ id: "chinotto", name: "Chinotto" }],
      status: "Pending",
      group,
    });
    await page.is("location.href", `${shop.forno.origin}/?group=${group}`);
    await page.says("Thank you! The kitchen has it.");
    await page.reload();
    await page.says("The kitchen has your order and starts soon.");
    await board.until(cardIn("New", group));
    for (const [press, stage, title] of [
      [`Start ${group}`, "Making", "Being made"], [`Ready ${group}`, "Ready", "Ready"],
      ["Send out", "On the way", "On its way"],
    ] as const) {
      if (press === "Send out") await board.click(".row-text-button");
      await board.tap(press);
      await board.until(cardIn(stage, group));
      await page.is(`$(".now .step")?.textContent`, title);
    }
    await board.tap(`Delivered ${group}`);
    await page.until(`document.title.startsWith("Delivered")`);
  });

shopTest("a double click makes one order, and does not take it back", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Mushrooms");
  await page.intercept("POST", held);
  await page.click("#place", 2);
  await page.until("window.letGo");
  await page.run("letGo()");
  await placedNumber(page);
  assert.deepEqual(await holdings(shop), [["Mushrooms"]]);
});

shopTest("an order is placed by keyboard alone, and once, though Enter is pressed twice",
  async (shop) => {
    const page = await shop.orderPage();
    await tabTo(page, "input[type=radio]");
    await page.press(keys.space, keys.down);
    await tabTo(page, ".shop-pizzas .tile-button");
    await page.press(keys.enter);
    await tabTo(page, ".tiles .tile-button");
    await page.press(keys.enter);
    await tabTo(page, ".tiles .less");
    await page.press(keys.space);
    await page.intercept("POST", held);
    await tabTo(page, "#place");
    await page.press(keys.enter, keys.enter);
    await page.until("window.letGo");
    await page.run("letGo()");
    await placedNumber(page);
    assert.deepEqual((await orders(shop)).map((one) => one["pizzaSize"].id), ["normale"]);
    assert.deepEqual(await holdings(shop), [["Tomato sauce", "Mozzarella", "Basil"]]);
  });

async function tabTo(page: Window, selector: string): Promise<void> {
  for (let pressed = 0; pressed < 60; pressed += 1) {
    if (await page.run("return document.activeElement.matches(arguments[0])", selector)) return;
    await page.press(keys.tab);
  }
  assert.fail(`Expected Tab to reach ${selector}, got past 60 stops`);
}

shopTest("the phone's Back closes the order, and leads from the tracker to the menu",
  async (shop) => {
    const page = await shop.orderPage({ width: 390, height: 844 });
    await choose(page, "Basil");
    await page.click(".unfold-button");
    await page.says("Name");
    await page.run("history.back()");
    await page.is(`$(".unfolded")`, null);
    await page.is(`$("#place").textContent`, "Place order");
    await page.click(".unfold-button");
    await page.click("#place");
    await placedNumber(page);
    await page.run("history.back()");
    await page.until(topping("Basil"));
    await page.is("document.activeElement.textContent", "Your pizza, your way");
    await page.is(`[$(".unfolded"), $(".skip")]`, [null, null]);
  });

shopTest("what is sent is seen, and goes on, whatever the address shows", async (shop) => {
  const page = await shop.orderPage({ width: 390, height: 844 });
  const number = await order(page, "Basil");
  await page.run("history.back()");
  await choose(page, "Rocket");
  await placeHeld(page);
  await page.run("history.forward()");
  await page.is(`$(".tracker-number")?.textContent`, number);
  await page.says("Sending your order to the shop.");
  await page.run("letGo()");
  await page.is(`$(".sending")`, null);
  assert.deepEqual(await holdings(shop), [["Basil"], ["Rocket"]]);
});

shopTest("a link signs in over nobody without a question, and a bad or a guest's one nobody",
  { ORDER_READS: "own" }, async (shop) => {
    const { origin, customer, token } = shop.forno;
    const board = await shop.board();
    const guest = token({ role: "customer", sub: "guest-maria" });
    const forged = `${token({ role: "customer", sub: "bruno" }).slice(0, -4)}AAAA`;
    const page = await shop.browser.open(`${origin}/#token=${guest}`, { beside: board });
    await page.until(topping("Basil"));
    for (const value of ["a.b.c", forged]) await page.go(`${origin}/#token=${value}`);
    await page.until(`performance.getEntriesByType("resource")
      .some(({ name, responseStatus }) => name.endsWith("/api") && responseStatus === 401)`);
    await page.is("location.hash", "");
    await page.go(`${origin}/#token=${customer}`);
    await page.says("You are signed in as rosa. Sign in as carla instead?");
    await page.tap("Stay rosa");
    await page.is(`localStorage.getItem("/token")`, null);
    await page.go(`${origin}/#token=${customer}`);
    await page.tap("Sign in as carla");
    await page.is(`localStorage.getItem("/token")`, customer);
  });

shopTest("while orders are sent, a link asks only once they are placed", async (shop) => {
  const page = await shop.orderPage();
  await choose(page, "Basil");
  await placeHeld(page);
  const other = shop.forno.token({ role: "customer", sub: "bruno" });
  await page.go(`${shop.forno.origin}/#token=${other}`);
  await page.is("location.hash", "");
  await page.until(`performance.getEntriesByType("resource")
    .filter(({ name }) => name.endsWith("/api")).length > 1`);
  await page.is(`$("dialog")`, null);
  await page.run("letGo()");
  await page.tap("Stay carla");
  await placedNumber(page);
});

shopTest("staff order by phone on the board's sign-in, and are asked once for whom it is",
  async (shop) => {
    await shop.change({ isOpen: false, soldOut: { toppings: ["funghi"] } });
    const board = await shop.board();
    const page = await shop.browser.open(shop.forno.origin, { beside: board });
    await choose(page, "Mushrooms");
    await page.click("#place");
    await page.is(message, "For whom is it? Write a table or a name, or press again.");
    await page.is("document.activeElement.id", "name");
    assert.deepEqual(await orders(shop), []);
    await page.click("#place");
    await placedNumber(page);
    assert.deepEqual(await holdings(shop), [["Mushrooms"]]);
    // Beside a guest's sign-in only the tab that the board has opened has the board's.
    await board.run(`localStorage.setItem("/token", arguments[0]);`, shop.forno.customer);
    for (const [name, isStaff] of [["", false], ["forno-phone-order", true]] as const) {
      await page.run("window.name = arguments[0];", name);
      await page.go(shop.forno.origin);
      await page.until(topping("Basil"));
      await page.is(`[$("#table") !== null, texts("header a").includes("Back to the board")]`,
        [isStaff, isStaff]);
    }
  });

shopTest("staff write down table, name and time; the link of a table fills it in for each order",
  async (shop) => {
    const board = await shop.board();
    const page = await shop.browser.open(`${shop.forno.origin}/?for=Terrace 2`, { beside: board });
    await page.until(topping("Basil"));
    await page.is("document.activeElement.name", "size", "ready for the next call");
    const fields = `[$("#table").value, $("#name").value]`;
    await page.is(fields, ["Terrace 2", ""]);
    await page.fill("#table", "7");
    await page.fill("#name", "Anna");
    await choose(page, "Basil");
    await page.is(fields, ["Table 7", "Anna"]);
    await page.click("#place");
    await placedNumber(page);
    assert.deepEqual((await orders(shop)).map(({ name, table }) => [name, table]),
      [["Anna", "Table 7"]]);
    await page.tap("Order something else");
    await page.is(fields, ["Terrace 2", ""]);
    // They also say for when it is wanted, and read that in place of a guest's thanks.
    await choose(page, "Basil");
    const isWhole = await page.run<boolean>(`const copy = $("#wanted").cloneNode();
      copy.style.width = "max-content";
      document.body.append(copy);
      const { offsetWidth } = copy;
      copy.remove();
      return $("#wanted").offsetWidth >= offsetWidth;`);
    assert.ok(isWhole, "there is room for a date with its time");
    await page.run(`$("#wanted").value = "2027-03-05T19:30";
      $("#wanted").dispatchEvent(new InputEvent("input"));`);
    const wanted = await page.run("return new Date('2027-03-05T19:30').toISOString()");
    await page.tap("Place order");
    await page.says("The kitchen has it.", "Wanted for Mar 5, 2027, 7:30");
    await page.is(`/Thank you|Ask the shop/.test(document.body.innerText)`, false);
    assert.deepEqual((await orders(shop)).map(({ wantedAt }) => wantedAt), [undefined, wanted]);
  });

shopTest("on a phone staff see for which table they order before they send it", async (shop) => {
  const board = await shop.board();
  const address = `${shop.forno.origin}/?for=Table 10`;
  const page = await shop.browser.open(address, { width: 390, height: 844, beside: board });
  await page.is(`texts(".unfold-button span span")`, ["Table 10"]);
  await choose(page, "Basil", "Still water");
  await page.is(`texts(".unfold-button span span")`, ["Table 10, 1 drink"]);
  await page.click(".unfold-button");
  await page.fill("#table", "Bar");
  await page.is(`texts(".unfold-button span span")`, ["Bar, 1 drink"]);
  // It is not the order of the next table that is opened.
  await page.go(`${shop.forno.origin}/?for=Table 11`);
  await page.says("This order for Bar is not sent yet.");
  await page.is(`texts(".unfold-button span span")`, ["Bar, 1 drink"]);
});

shopTest("a table is kept and shown exactly as it was written", async (shop) => {
  const table = "Zoë & José, طاولة ٧";
  const address = `${shop.forno.origin}/?for=${encodeURIComponent(table)}`;
  const page = await shop.browser.open(`${address}#token=${shop.forno.customer}`);
  await page.is(`$(".table-chip")?.textContent`, table);
  await order(page, "Basil");
  assert.equal((await orders(shop))[0]?.["table"], table);
  await page.tap("Order something else");
  await page.is(`$(".table-chip")?.textContent`, table);
});

shopTest("what a stranger wrote into the storage or the address does no harm", async (shop) => {
  const page = await shop.orderPage();
  await page.run(`localStorage.setItem("/basket", '{"group":"K7');
    localStorage.setItem("/visits", '[{"group":"AAA111","placedAt":1e300}]');
    localStorage.setItem("/token", "a\\nb");`);
  await page.reload();
  await page.until(topping("Basil"));
  await page.go(`${shop.forno.origin}/?group=__proto__`);
  await page.says("We can’t find this order.");
});

shopTest("a name is that of all pizzas, and each pizza has a note of its own", async (shop) => {
  const page = await shop.orderPage({ width: 390, height: 844 });
  await page.tap("Name");
  await page.is("document.activeElement.labels[0].innerText.split('\\n')", ["Name", "optional"]);
  // A phone's keyboard covers the lower half.
  await page.is(`boxOf("#name").bottom < 0.6 * innerHeight`, true);
  await page.type("#name", "Anna ");
  await page.press(keys.enter);
  await page.is("document.activeElement === document.body", true, "Enter closes the keyboard");
  await page.press(keys.escape);
  await page.is(`$(".name-button bdi").innerText`, "Anna");
  await choosePizzas(page, "Basil", "Rocket");
  await page.click(".unfold-button");
  await page.tapIn(rowWith("Rocket"), "Note Large");
  await page.is("document.activeElement.labels[0].innerText", "Note for this pizza");
  await page.says("An allergy? Write it on each pizza.");
  await page.type("#note-text", "no nuts,\tplease\nfor the child ");
  await page.press(keys.enter);
  await page.is(`texts("#chosen .note")`, ["no nuts, please for the child"]);
  await page.is("document.activeElement.textContent", "Note Large");
  await page.tapIn(rowWith("Rocket"), "One Large more");
  const note = "no nuts, please for the child";
  const rows = [
    "Large | Basil | 1", `2×\u00a0Large | ${note} | Rocket | 2`,
    "Still water | 0.5 l | 1", "Sparkling water | 0.5 l | 1",
  ];
  await page.is(chosen, rows, "equal pizzas, also by their note, are one row");
  await page.reload();
  await page.is(`[$("#name").value, ${chosen}]`, ["Anna ", rows]);
  await page.click("#place");
  await page.is(`$("article .tracker-fact").innerText`, "Anna");
  await page.is(`$$(".pizza-row").map((one) => one.innerText.split(/\\n+/).slice(0, 2))`,
    [["Large", "Basil"], ["2×\u00a0Large", note]]);
  assert.deepEqual((await orders(shop)).map((one) => [one["name"], one["note"]]),
    [["Anna", undefined], ["Anna", note], ["Anna", note]]);
  await page.tap("Order something else");
  await page.is(`$(".name-button").innerText`, "Name", "the next order has none yet");
});

shopTest("a text is kept to its end or not at all: what a field shows is what is sent",
  async (shop) => {
    const board = await shop.board();
    const page = await shop.browser.open(shop.forno.origin, { width: 320, beside: board });
    await choose(page, "Basil");
    await page.click(".unfold-button");
    await page.tap("Note Large");
    await page.type("#note-text", "m".repeat(136));
    await page.is(`$("#note-hint").innerText`, "64 left");
    // Typed at the limit, with an emoji of two code units; a family of seven code points is pasted.
    const texts = [`${"m".repeat(180)} ALLERGIC: NUTS 🥜éé`, "🍕".repeat(200), "é".repeat(200)];
    for (const [index, field] of ["#note-text", "#table", "#name"].entries()) {
      const text = texts[index] ?? "";
      await page.fill(field, text);
      for (const more of ["👨‍👩‍👧‍👦".repeat(30), "x".repeat(200)]) await page.type(field, more);
      await page.is(`$("${field}").value`, text, "nothing of what has no room");
      await page.says("There is room for 200 letters.");
    }
    await page.press(keys.enter);
    await page.click("#place");
    await placedNumber(page);
    const [order] = await orders(shop);
    assert.deepEqual([order?.["note"], order?.["table"], order?.["name"]], texts);
    await page.is(`$("html").scrollWidth <= $("html").clientWidth`, true);
  });

shopTest("Order again fills the basket with what is still sold, and asks before it replaces one",
  async (shop) => {
    const page = await shop.orderPage();
    await choosePizzas(page, "Basil", "Rocket");
    await page.tap("Place order");
    await placedNumber(page);
    await shop.forno.write("DELETE", "/api/toppings/rucola");
    await shop.change({ soldOut: { beverages: ["acqua"] } });
    await page.tap("Order again");
    await page.says("Not sold now, so left out: Rocket and Still water");
    await page.tap("Place order");
    await page.says("Large: without any topping?");
    await page.tap("Change");
    await page.run("history.back()");
    await page.tap("Order again");
    await page.says("Replace what you have chosen?");
    await page.tap("Keep it");
    assert.equal((await orders(shop)).length, 2);
  });
