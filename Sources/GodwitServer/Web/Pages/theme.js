// The current theme: the user's choice, or the system's.

const system = matchMedia("(prefers-color-scheme: dark)");
const root = document.documentElement;

export const isDark = () => (root.dataset.theme ? root.dataset.theme === "dark" : system.matches);

// `run` is called after each change of the theme.
export function onTheme(run) {
  let last = isDark();
  const look = () => {
    if (isDark() === last) return;
    last = isDark();
    run(last);
  };
  system.addEventListener("change", look);
  new MutationObserver(look).observe(root, { attributes: true, attributeFilter: ["data-theme"] });
}

// Returns a colour of the style sheet, such as "--track".
export const color = (name) => getComputedStyle(root).getPropertyValue(name).trim();
