import { useState } from 'react';
import { storedValue, storeValue } from '../storage.ts';

const KEY = 'theme';

/** Light or dark by a click; what the reader chose stays, and `early.js` sets it before the paint. */
export function ThemeToggle({ className }: { readonly className?: string | undefined }) {
  const [theme, setTheme] = useState(themeNow);
  const other = theme === 'dark' ? 'light' : 'dark';
  function change() {
    document.documentElement.dataset.theme = other;
    storeValue(KEY, other);
    setTheme(other);
  }
  return (
    <button type="button" className={className} onClick={change}>
      {other === 'dark' ? 'Use the dark theme' : 'Use the light theme'}
    </button>
  );
}

function themeNow(): 'light' | 'dark' {
  const chosen = storedValue(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
