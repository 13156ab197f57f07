import { useState } from 'react';
import { storedValue, storeValue } from '../storage.ts';
import { Button } from './button.tsx';

const KEY = 'theme';

/** Light or dark by a click; what the reader chose stays, and `early.js` sets it before the paint. */
export function ThemeToggle() {
  const [theme, setTheme] = useState(themeNow);
  const other = theme === 'dark' ? 'light' : 'dark';
  function change() {
    document.documentElement.dataset.theme = other;
    storeValue(KEY, other);
    setTheme(other);
  }
  return (
    <Button quiet onClick={change} aria-label={`Use the ${other} theme`}>
      <svg viewBox="0 0 24 24" width="18" height="18" aria-hidden="true">
        <circle cx="12" cy="12" r="8" fill="none" stroke="currentColor" strokeWidth="2" />
        <path d="M12 4a8 8 0 0 1 0 16z" fill="currentColor" />
      </svg>
    </Button>
  );
}

function themeNow(): 'light' | 'dark' {
  const chosen = storedValue(KEY);
  if (chosen === 'light' || chosen === 'dark') return chosen;
  return window.matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light';
}
