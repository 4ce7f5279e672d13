// What a seat may choose now, as buttons large enough for a thumb.
import { drawn, element } from "./dice.js";

const LONGEST_WHOLE = 18; // a longer part of a note may be broken between its words
const MOST_BUTTONS = 4; // more names than these stand in two columns
const MOST_ROWS = 5; // more numbers than these stand in a grid
const SHORT = 3; // letters of a label that fits into a grid
const MOST_IN_GRID = 48; // and more than these get a slider

function button(text, name, tap) {
  const made = element("button", name, text);
  made.type = "button";
  made.addEventListener("click", tap);
  return made;
}

// One of many numbers: a slider, and − and + beside it. `changed` is called at once, and after each change.
function picker(values, words, label, changed, at = 0) {
  const box = element("div", "picker");
  const slider = Object.assign(document.createElement("input"), { type: "range", min: "0", max: String(values.length - 1), value: String(at) });
  slider.setAttribute("aria-label", label);
  const show = () => {
    slider.setAttribute("aria-valuetext", values[slider.value]);
    changed(values[slider.value]);
  };
  const step = (by) => () => {
    slider.value = String(Number(slider.value) + by);
    show();
  };
  slider.addEventListener("input", show);
  const [minus, plus] = [button("−", "step", step(-1)), button("+", "step", step(1))];
  minus.setAttribute("aria-label", words.minus);
  plus.setAttribute("aria-label", words.plus);
  box.append(minus, slider, plus);
  show();
  return box;
}

// Numbers beside each other, of which one is chosen; very many get a slider.
function counts(values, words, label, changed) {
  if (values.length > MOST_IN_GRID) return picker(values, words, label, changed);
  const box = element("div", "counts");
  const take = (value) => {
    for (const each of box.children) each.setAttribute("aria-pressed", String(each.textContent === String(value)));
    changed(value);
  };
  box.append(...values.map((value) => button(String(value), "count", () => take(value))));
  take(values[0]);
  return box;
}

// How many dice, and which face: the face is the button.
function bid({ label, numbers }, words, send) {
  const box = element("div", "bid");
  const faces = element("div", "faces");
  const heading = element("p", "heading");
  const show = (quantity) => {
    heading.textContent = `${label} ${quantity} ×`;
    faces.replaceChildren(...[...new Set(numbers.map(([, face]) => face))].sort().map((face) => {
      const made = button("", "choice", () => send([quantity, face]));
      made.append(...drawn([{ kind: "d6", value: face }]));
      made.setAttribute("aria-label", `${label} ${quantity} × ${face}`);
      made.disabled = !numbers.some(([count, other]) => count === quantity && other === face);
      return made;
    }));
  };
  box.append(heading, counts([...new Set(numbers.map(([count]) => count))], words, label, show), faces);
  return box;
}

// Which dice to set aside: a tap on a die takes it or leaves it. A number is a selection, its digits from high to low.
function selection({ label, numbers, names }, send) {
  const box = element("div", "selection");
  const values = numbers.map(([value]) => value);
  const most = (face) => Math.max(...values.map((value) => String(value).split(String(face)).length - 1));
  const dice = element("div", "faces");
  const taken = () => Number([...dice.children].filter((die) => die.getAttribute("aria-pressed") === "true").map((die) => die.value).join("")) || 0;
  const take = button("", "choice", () => send([taken()]));
  const show = () => {
    const value = taken();
    take.textContent = `${label} ${names[values.indexOf(value)] ?? ""}`;
    take.disabled = !values.includes(value);
  };
  for (const face of [6, 5, 4, 3, 2, 1]) {
    for (let count = most(face); count > 0; count -= 1) {
      const die = button("", "choice", () => {
        die.setAttribute("aria-pressed", String(die.getAttribute("aria-pressed") !== "true"));
        show();
      });
      die.value = face;
      die.setAttribute("aria-pressed", "false");
      die.setAttribute("aria-label", String(face));
      die.append(...drawn([{ kind: "d6", value: face }]));
      dice.append(die);
    }
  }
  box.append(dice, take);
  show();
  return box;
}

// A call by its dice: a tap raises a die, and after its 6 it shows 1 again.
function call({ label, numbers, at }, words, send) {
  const box = element("div", "call");
  const values = numbers.map(([value]) => value);
  const faces = [...String(values[at])].map(Number);
  const dice = element("div", "faces");
  const take = button("", "choice", () => send([called()]));
  const called = () => Number([...faces].sort().reverse().join(""));
  const show = () => {
    take.textContent = `${label} ${called()}`;
    take.disabled = !values.includes(called());
  };
  dice.append(...faces.map((_, index) => {
    const die = button("", "choice", () => {
      faces[index] = (faces[index] % 6) + 1;
      draw();
      show();
    });
    const draw = () => {
      die.replaceChildren(...drawn([{ kind: "d6", value: faces[index] }]));
      die.setAttribute("aria-label", `${faces[index]}: ${words.plus}`);
    };
    draw();
    return die;
  }));
  box.append(dice, take);
  show();
  return box;
}

// Many numbers, each a button: one tap takes it.
function grid({ label, numbers, at }, send) {
  const box = element("div", "grid");
  box.setAttribute("role", "group");
  box.setAttribute("aria-label", label);
  box.append(...numbers.map(([value], index) => {
    const made = button(String(value), index === at ? "choice likely" : "choice", () => send([value]));
    made.setAttribute("aria-label", `${label} ${value}`);
    return made;
  }));
  return [element("p", "heading", label), box];
}

function oneOfMany({ label, numbers, at }, words, send) {
  const box = element("div", "many");
  let chosen = null;
  const take = button("", "choice", () => send([chosen]));
  const values = numbers.map(([value]) => value);
  box.append(picker(values, words, label, (value) => {
    chosen = value;
    take.textContent = `${label} ${value}`;
  }, at), take);
  return box;
}

// Values with a name each; more than a few stand in two columns.
function named({ label, numbers, names }, send) {
  const made = numbers.map(([value], index) => button(`${label} ${names[index]}`, "choice", () => send([value])));
  if (made.length <= MOST_BUTTONS) return made;
  const box = element("div", "names");
  box.append(...made);
  return [box];
}

// A button with lines below its label.
function noted({ label, note, small, gives_up }, send) {
  const made = button(label, small ? "small" : gives_up ? "choice gives-up" : "choice", () => send([]));
  const whole = (fact) => (fact.length > LONGEST_WHOLE ? fact : fact.replaceAll(" ", "\u00a0"));
  if (note) made.append(element("span", "note", note.split("\n").map(whole).join(" · ")));
  return made;
}

// Elements for a choice; `send` gets its numbers.
export function choiceElements(choice, words, send) {
  const { label, numbers, faces, dice, digits, names } = choice;
  if (!numbers.length) return [noted(choice, send)];
  if (dice) return [selection(choice, send)];
  if (names.length) return named(choice, send);
  if (faces) return [bid(choice, words, send)];
  if (digits) return [call(choice, words, send)];
  if (numbers.length > MOST_IN_GRID) return [oneOfMany(choice, words, send)];
  if (numbers.length > MOST_ROWS) return grid(choice, send);
  return numbers.map(([value]) => button(`${label} ${value}`, "choice", () => send([value])));
}

// Whether these choices are so many and so short, as the faces of a die, that they stand in a grid.
export const inGrid = (choices) => choices.length > MOST_ROWS && choices.every(({ label, numbers }) => !numbers.length && label.length <= SHORT);
