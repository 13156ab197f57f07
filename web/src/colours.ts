import { useEffect, useState } from 'react';

/** The colour of a custom property, by its name without `--`, as a canvas takes it. */
export type ColourOf = (name: string) => string;

/**
 * Colours of the page now, and again whenever the theme changes. A canvas knows no custom
 * properties, and what `light-dark()` means only an element’s computed colour shows.
 *
 * @param pick the same function at every call.
 */
export function useColours<T>(pick: (colour: ColourOf) => T): T {
  const [colours, setColours] = useState(() => read(pick));
  useEffect(() => {
    const change = () => setColours(read(pick));
    const dark = window.matchMedia('(prefers-color-scheme: dark)');
    const theme = new MutationObserver(change);
    theme.observe(document.documentElement, { attributeFilter: ['data-theme'] });
    dark.addEventListener('change', change);
    return () => {
      theme.disconnect();
      dark.removeEventListener('change', change);
    };
  }, [pick]);
  return colours;
}

function read<T>(pick: (colour: ColourOf) => T): T {
  const probe = document.createElement('span');
  document.body.append(probe);
  const picked = pick((name) => {
    probe.style.color = `var(--${name})`;
    return getComputedStyle(probe).color;
  });
  probe.remove();
  return picked;
}
