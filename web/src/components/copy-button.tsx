import { useState } from 'react';
import { Button } from './button.tsx';
import styles from './values.module.css';

/** Puts a text on the clipboard, and says so. */
export function CopyButton({ text, label }: { readonly text: string; readonly label: string }) {
  const [done, setDone] = useState(false);
  async function copy() {
    await navigator.clipboard?.writeText(text).catch(() => undefined);
    setDone(navigator.clipboard !== undefined);
  }
  return (
    <>
      <Button
        quiet
        className={styles.copy}
        aria-label={`Copy the ${label} ${text}`}
        title={done ? 'Copied' : 'Copy'}
        onClick={() => void copy()}
        onBlur={() => setDone(false)}
      >
        <svg viewBox="0 0 24 24" width="15" height="15" aria-hidden="true">
          <path
            d={done ? 'M5 13l5 5L20 7' : 'M9 9h11v11H9zM5 15V4h11'}
            fill="none"
            stroke="currentColor"
            strokeWidth="2"
          />
        </svg>
      </Button>
      <span className="visually-hidden" role="status">
        {done ? 'Copied.' : ''}
      </span>
    </>
  );
}
