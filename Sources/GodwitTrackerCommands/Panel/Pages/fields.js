// A control for each kind of setting.

function make(tag, text, className) {
  const node = document.createElement(tag);
  if (text != null) node.textContent = text;
  if (className) node.className = className;
  return node;
}

const same = (a, b) => JSON.stringify(a) === JSON.stringify(b);

// Each function returns the control, and functions that read and write its value.
const controls = {
  flag(field, changed) {
    const input = make("input");
    Object.assign(input, { type: "checkbox" });
    input.setAttribute("role", "switch");
    input.addEventListener("change", changed);
    const frame = make("span", null, "switch");
    const knob = make("b");
    knob.setAttribute("aria-hidden", "true");
    frame.append(input, knob);
    return { input, frame, read: () => input.checked, write: (value) => (input.checked = value === true) };
  },

  choice(field, changed) {
    const input = make("select");
    for (const word of field.labels) input.append(new Option(word.label));
    input.addEventListener("change", changed);
    return {
      input, frame: input,
      read: () => field.labels[input.selectedIndex]?.value,
      write: (value) => (input.selectedIndex = field.labels.findIndex((word) => same(word.value, value))),
    };
  },

  text(field, changed) {
    const input = make("input");
    Object.assign(input, { type: "text", autocomplete: "off", spellcheck: false, placeholder: "Empty" });
    input.addEventListener("input", changed);
    return { input, frame: input, read: () => input.value, write: (value) => (input.value = value) };
  },

  list(field, changed) {
    const input = make("textarea");
    Object.assign(input, { rows: 2, autocomplete: "off", spellcheck: false, placeholder: `One per line: ${field.form}` });
    input.addEventListener("input", changed);
    return {
      input, frame: input,
      read: () => input.value.split("\n").map((line) => line.trim()).filter(Boolean),
      write(value) {
        input.value = value.join("\n");
        input.rows = Math.min(8, Math.max(2, value.length));
      },
    };
  },
};
controls.number = controls.choice;

// A row of a form: title, description, control and error.
export class Field {
  // `onEdit` is called with the field after each edit by the user.
  constructor(field, onEdit) {
    this.field = field;
    const id = field.name.replaceAll(/[^a-z0-9]/g, "-");
    // A kind that this page does not support is shown as text.
    const control = (controls[field.kind] ?? controls.text)(field, () => onEdit(this));
    this.control = control;
    this.element = make("div", null, `field ${field.kind}`);
    this.element.dataset.name = field.name;
    const label = make("label", field.title);
    label.htmlFor = `field-${id}`;
    control.input.id = `field-${id}`;
    control.input.setAttribute("aria-describedby", `about-${id} wrong-${id}`);
    const about = make("p", field.summary, "about");
    about.id = `about-${id}`;
    this.standard = make("small", `Default: ${field.standard_label}`);
    this.wrong = make("p", "", "wrong");
    this.wrong.id = `wrong-${id}`;
    this.wrong.hidden = true;
    const text = make("div");
    text.append(label, about, this.standard);
    this.element.append(text, control.frame, this.wrong);
    this.write(field.value);
  }

  get name() {
    return this.field.name;
  }

  read() {
    return this.control.read();
  }

  write(value) {
    // Unchanged values are not written, so that the cursor stays in its place while a list is edited.
    if (!same(this.read(), value)) this.control.write(value);
    this.mark();
  }

  // Sets the field as reported by the tracker.
  take(field) {
    this.field = field;
    this.mark();
  }

  get isEdited() {
    return !same(this.read(), this.field.value);
  }

  mark() {
    this.element.classList.toggle("edited", this.isEdited);
    this.standard.hidden = same(this.read(), this.field.standard);
  }

  // Shows an error; null removes it.
  complain(sentence) {
    if (this.wrong.textContent !== (sentence ?? "")) this.wrong.textContent = sentence ?? "";
    this.wrong.hidden = !sentence;
    this.element.classList.toggle("refused", Boolean(sentence));
    if (sentence) this.control.input.setAttribute("aria-invalid", "true");
    else this.control.input.removeAttribute("aria-invalid");
  }
}
