import { type FormEvent, useId, useState } from 'react';
import { useSearchParams } from 'wouter';
import { Button } from '../components/button.tsx';
import { removeValue, storedValue, storeValue } from '../storage.ts';
import styles from './saved-filters.module.css';
import type { Filters } from './use-filters.ts';

/** Filters of one list that a browser stores, and characters of the name of one. */
const MAX_SAVED = 20;
const MAX_NAME = 40;

interface SavedFilter {
  readonly name: string;
  /** Part of an address after `?`. */
  readonly query: string;
}

interface SavedFiltersProps {
  /** Name of the list, under which this browser stores them. */
  readonly list: string;
  readonly filters: Filters<never>;
  /** Names of the filters in the address. */
  readonly names: readonly string[];
}

/** Filters that somebody has saved under a name, in this browser: each a button, and one more to save those that are set. */
export function SavedFilters({ list, filters, names }: SavedFiltersProps) {
  const [params, setParams] = useSearchParams();
  const [saved, setSaved] = useState(() => readSaved(list));
  const [isNaming, setNaming] = useState(false);
  const query = queryOf(params, names);
  const current = saved.find((one) => one.query === query);
  function change(next: readonly SavedFilter[]) {
    setSaved(next);
    if (next.length === 0) removeValue(keyOf(list));
    else storeValue(keyOf(list), JSON.stringify(next));
  }
  function apply(chosen: string) {
    setParams((old) => {
      const next = new URLSearchParams(old);
      for (const name of names) next.delete(name);
      for (const [name, value] of new URLSearchParams(chosen)) next.set(name, value);
      return next;
    });
  }
  if (saved.length === 0 && !filters.any) return null;
  return (
    <section className={styles.saved} aria-label="Saved filters">
      {saved.map(({ name, query: own }) => (
        <Button key={name} aria-pressed={own === query} onClick={() => apply(own)}>
          {name}
        </Button>
      ))}
      {current !== undefined && (
        <Button quiet onClick={() => change(saved.filter((one) => one !== current))}>
          Delete “{current.name}”
        </Button>
      )}
      {filters.any && current === undefined && saved.length < MAX_SAVED && !isNaming && (
        <Button quiet onClick={() => setNaming(true)}>
          Save this filter
        </Button>
      )}
      {isNaming && (
        <NameForm
          onName={(name) => {
            setNaming(false);
            if (name === undefined) return;
            change([...saved.filter((one) => one.name !== name), { name, query }]);
          }}
        />
      )}
    </section>
  );
}

/** Asks for the name of a filter; Escape calls `onName` without one. */
function NameForm({ onName }: { readonly onName: (name: string | undefined) => void }) {
  const id = useId();
  const [text, setText] = useState('');
  const name = text.trim();
  function submit(event: FormEvent) {
    event.preventDefault();
    if (name !== '') onName(name);
  }
  return (
    <form
      className={styles.form}
      onSubmit={submit}
      onKeyDown={(event) => event.key === 'Escape' && onName(undefined)}
    >
      <label htmlFor={id}>Name</label>
      <input
        id={id}
        // The button that opened the form is gone: the focus goes on to what it is for.
        ref={(field) => field?.focus()}
        value={text}
        maxLength={MAX_NAME}
        autoComplete="off"
        onChange={({ target }) => setText(target.value)}
      />
      <Button type="submit" disabled={name === ''}>
        Save
      </Button>
      <Button quiet onClick={() => onName(undefined)}>
        Cancel
      </Button>
    </form>
  );
}

/** The filters of an address, always in the same order. */
function queryOf(params: URLSearchParams, names: readonly string[]): string {
  const set = names
    .map((name) => [name, params.get(name) ?? ''])
    .filter(([, value]) => value !== '');
  return new URLSearchParams(set).toString();
}

const keyOf = (list: string) => `filters.${list}`;

/** The stored filters; none if they cannot be read. */
function readSaved(list: string): readonly SavedFilter[] {
  try {
    const stored: unknown = JSON.parse(storedValue(keyOf(list)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isSaved).slice(0, MAX_SAVED) : [];
  } catch {
    return [];
  }
}

function isSaved(value: unknown): value is SavedFilter {
  const { name, query }: { name?: unknown; query?: unknown } = Object(value);
  return typeof name === 'string' && typeof query === 'string';
}
