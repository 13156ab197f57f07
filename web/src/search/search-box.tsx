import { type FormEvent, type RefObject, useEffect, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { useLocation } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { ResultList } from './result-list.tsx';
import styles from './search-box.module.css';

/** Attributes of the field, with and without its list of results. */
const FIELD = {
  className: styles.input,
  'aria-label': 'Search',
  placeholder: 'Search sales, names, addresses …',
  maxLength: 200,
  autoComplete: 'off',
  spellCheck: false,
  enterKeyHint: 'search',
} as const;

/**
 * The search of the header. Enter opens the page of all results. Once somebody is about to type, the list of
 * results under the field is loaded; without it, the field still searches. The key "/" leads to it from anywhere.
 */
export function SearchBox() {
  const [text, setText] = useState('');
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const { List, caret, load, compose } = useResultList(input);
  useSlashKey(input);
  function leave(path: string) {
    setText('');
    input.current?.blur();
    navigate(path);
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    const entered = text.trim();
    if (entered !== '') leave(`${pathOf('search')}?q=${encodeURIComponent(entered)}`);
  }
  return (
    <search className={styles.search}>
      <form onSubmit={submit} onPointerEnter={load}>
        {List === undefined ? (
          <input
            {...FIELD}
            ref={input}
            type="text"
            role="combobox"
            aria-expanded="false"
            aria-autocomplete="list"
            value={text}
            onChange={({ target }) => setText(target.value)}
            onFocus={load}
            {...compose}
          />
        ) : (
          <List {...{ caret, input, text }} field={FIELD} onText={setText} onChoice={leave} />
        )}
        <span className={styles.key} aria-hidden="true">
          /
        </span>
        {/* The list adds fields to the form, and Enter submits a form of several only with a button. */}
        <button type="submit" className="visually-hidden" tabIndex={-1}>
          Search
        </button>
      </form>
    </search>
  );
}

/**
 * Loads the list of results, once. A failure leaves the field as it is. So does a text that is being composed, as in
 * Japanese: the browser composes it in that field alone.
 */
function useResultList(input: RefObject<HTMLInputElement | null>) {
  const isComposing = useRef(false);
  const [loaded, setLoaded] = useState<{
    readonly List: typeof ResultList;
    readonly caret: readonly [start: number, end: number] | undefined;
  }>();
  const load = () => {
    import('./result-list.tsx').then(
      ({ ResultList: List }) => {
        if (isComposing.current) return;
        const caret = caretOf(input.current);
        // Immediately: a key pressed after the caret was read and before the field is replaced would move it.
        flushSync(() => setLoaded((now) => now ?? { List, caret }));
      },
      () => {},
    );
  };
  const compose = {
    onCompositionStart: () => {
      isComposing.current = true;
    },
    onCompositionEnd: () => {
      isComposing.current = false;
      load();
    },
  };
  return { List: loaded?.List, caret: loaded?.caret, load, compose };
}

/** Selection in a field; `undefined` without the focus. */
function caretOf(field: HTMLInputElement | null): readonly [number, number] | undefined {
  if (field === null || document.activeElement !== field) return undefined;
  return [field.selectionStart ?? 0, field.selectionEnd ?? 0];
}

/** Moves the focus into a field when "/" is pressed outside of any field. */
function useSlashKey(input: RefObject<HTMLInputElement | null>): void {
  useEffect(() => {
    function onKey(event: KeyboardEvent) {
      const { target } = event;
      const isTyping =
        target instanceof HTMLElement &&
        (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName));
      if (event.key !== '/' || event.ctrlKey || event.metaKey || event.altKey || isTyping) return;
      event.preventDefault();
      input.current?.focus();
      input.current?.select();
    }
    document.addEventListener('keydown', onKey);
    return () => document.removeEventListener('keydown', onKey);
  }, [input]);
}
