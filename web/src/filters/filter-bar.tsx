import { type ReactNode, useEffect, useId, useState } from 'react';
import { Button } from '../components/button.tsx';
import { Check } from '../components/check.tsx';
import { Issue } from '../components/issue.tsx';
import styles from './filter-bar.module.css';
import type { FilterOptions, Filters } from './use-filters.ts';

interface FilterBarProps {
  readonly filters: Filters<never>;
  /** Number of things found, in words; read out when it changes. */
  readonly found?: string | undefined;
  readonly children: ReactNode;
}

/** The filters of a list in a row, with the number of what they found. */
export function FilterBar(props: FilterBarProps) {
  const { filters, found, children } = props;
  return (
    <search className={styles.bar} aria-label="Filters">
      {children}
      {filters.any && (
        <Button quiet onClick={filters.clear}>
          Clear
        </Button>
      )}
      {'found' in props && (
        <p className={styles.found} role="status">
          {found}
        </p>
      )}
    </search>
  );
}

interface FilterProps<N extends string> {
  readonly filters: Filters<N>;
  /** Its name in the address. */
  readonly name: N;
  readonly label: string;
  /** For long values. */
  readonly wide?: boolean;
}

const classOf = (wide: boolean) => (wide ? `${styles.filter} ${styles.wide}` : styles.filter);

interface FilterSelectProps<N extends string> extends FilterProps<N> {
  readonly options: FilterOptions;
  /** Offers a value of the address that is none of the options, too: not all are listed. */
  readonly open?: boolean;
}

/** A filter with a few values. */
export function FilterSelect<N extends string>(props: FilterSelectProps<N>) {
  const { filters, name, label, options, open = false, wide = false } = props;
  const id = useId();
  const value = filters.get(name) ?? '';
  const isListed = !open || options.some(([one]) => one === value);
  return (
    <div className={classOf(wide)}>
      <label htmlFor={id}>{label}</label>
      <select id={id} value={value} onChange={(event) => filters.set(name, event.target.value)}>
        {[...options, ...(isListed ? [] : [[value, value] as const])].map(([one, text]) => (
          <option key={one} value={one}>
            {text}
          </option>
        ))}
      </select>
    </div>
  );
}

/** Milliseconds without a key after which a text is looked for. */
const PAUSE_MS = 300;

interface FilterTextProps<N extends string> extends FilterProps<N> {
  readonly type?: 'search' | 'date';
  readonly placeholder?: string;
  /** Message of the API about the value. */
  readonly problem?: string | undefined;
}

/** A filter by words, or by a day: the list follows as one types. */
export function FilterText<N extends string>(props: FilterTextProps<N>) {
  const { filters, name, label, type = 'search', placeholder, problem } = props;
  const { wide = type === 'date' } = props;
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
    <div className={classOf(wide)}>
      <label htmlFor={id}>{label}</label>
      <input
        id={id}
        type={type}
        value={text}
        maxLength={200}
        placeholder={placeholder}
        autoComplete="off"
        spellCheck={false}
        aria-invalid={problem !== undefined || undefined}
        aria-describedby={problem && `${id}-problem`}
        onChange={(event) => setText(event.target.value)}
      />
      <Issue id={`${id}-problem`} small of={problem} />
    </div>
  );
}

interface FilterCheckProps<N extends string> extends FilterProps<N> {
  /** Value of the filter while the box is not ticked; it is ticked by default. */
  readonly off: string;
}

/** A filter that is on or off. */
export function FilterCheck<N extends string>({ filters, name, label, off }: FilterCheckProps<N>) {
  return (
    <Check
      label={label}
      checked={filters.get(name) !== off}
      onChange={({ target }) => filters.set(name, target.checked ? '' : off)}
    />
  );
}
