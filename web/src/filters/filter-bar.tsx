import { type ReactNode, useEffect, useId, useState } from 'react';
import { Button } from '../components/button.tsx';
import styles from './filter-bar.module.css';
import type { Filters } from './use-filters.ts';

interface FilterBarProps {
  readonly filters: Filters;
  /** Number of things found, in words; read out when it changes. */
  readonly found?: string | undefined;
  readonly children: ReactNode;
}

/** The filters of a list in a row, with the number of what they found. */
export function FilterBar({ filters, found, children }: FilterBarProps) {
  return (
    <search className={styles.bar} aria-label="Filters">
      {children}
      {filters.any && (
        <Button quiet onClick={filters.clear}>
          Clear
        </Button>
      )}
      <p className={styles.found} role="status">
        {found}
      </p>
    </search>
  );
}

interface FilterProps {
  readonly filters: Filters;
  /** Its name in the address. */
  readonly name: string;
  readonly label: string;
}

interface FilterSelectProps extends FilterProps {
  /** Values with their labels. An empty value is the default, and is not in the address. */
  readonly options: readonly (readonly [value: string, label: string])[];
}

/** A filter with a few values. */
export function FilterSelect({ filters, name, label, options }: FilterSelectProps) {
  const id = useId();
  return (
    <div className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <select
        id={id}
        value={filters.get(name) ?? ''}
        onChange={(event) => filters.set(name, event.target.value)}
      >
        {options.map(([value, text]) => (
          <option key={value} value={value}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Milliseconds without a key after which a text is looked for. */
const PAUSE_MS = 300;

/** A filter by words: the list follows as one types. */
export function FilterText({ filters, name, label }: FilterProps) {
  const id = useId();
  const value = filters.get(name) ?? '';
  const [text, setText] = useState(value);
  const [last, setLast] = useState(value);
  // The address changed without the field: a link, "Clear" or the back button.
  if (value !== last) {
    setLast(value);
    setText(value);
  }
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === value) return;
    const timer = setTimeout(() => {
      setLast(wanted);
      filters.set(name, wanted);
    }, PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text, value, name, filters.set]);
  return (
    <div className={styles.filter}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type="search"
        value={text}
        maxLength={200}
        autoComplete="off"
        spellCheck={false}
        onChange={(event) => setText(event.target.value)}
      />
    </div>
  );
}
