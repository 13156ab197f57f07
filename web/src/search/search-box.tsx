import { Autocomplete } from '@base-ui/react/autocomplete';
import { type FormEvent, useEffect, useRef, useState } from 'react';
import { useLocation } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import type { Hit, HitGroup } from './hits.ts';
import { isMistypedCode } from './query.ts';
import styles from './search-box.module.css';
import { usePaused, useSearch } from './use-search.ts';

/** Results of each kind that are shown as one types. */
const SHOWN = 3;

/**
 * The search of the header: results as one types, by kind. Enter opens the chosen one, or the page of all results.
 * The key "/" leads to it from anywhere on the page.
 */
export function SearchBox() {
  const [text, setText] = useState('');
  const [isOpen, setOpen] = useState(false);
  const [, navigate] = useLocation();
  const input = useRef<HTMLInputElement>(null);
  const paused = usePaused(text);
  const query = useSearch(paused, SHOWN);
  useSlashKey(input);
  const entered = text.trim();
  const isCurrent = entered !== '' && paused.trim() === entered;
  const groups = entered === '' ? [] : (query.data ?? []);
  function leave(path: string) {
    setText('');
    setOpen(false);
    input.current?.blur();
    navigate(path);
  }
  function submit(event: FormEvent) {
    event.preventDefault();
    if (entered !== '') leave(`${pathOf('search')}?q=${encodeURIComponent(entered)}`);
  }
  return (
    <search className={styles.search}>
      <form onSubmit={submit}>
        {/* Inline: as a popup it would hide the rest of the page from screen readers while one types. */}
        <Autocomplete.Root
          inline
          open={isOpen && entered !== ''}
          items={groups}
          filter={null}
          value={text}
          onValueChange={(value, { reason }) => {
            if (reason === 'item-press') return;
            setText(value);
            setOpen(true);
          }}
          itemToStringValue={(hit: Hit) => hit.title}
        >
          <Autocomplete.Input
            ref={input}
            className={styles.input}
            aria-label="Search"
            placeholder="Search sales, names, addresses …"
            maxLength={200}
            autoComplete="off"
            spellCheck={false}
            enterKeyHint="search"
            onFocus={() => setOpen(true)}
            onBlur={() => setOpen(false)}
            onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
          />
          <span className={styles.key} aria-hidden="true">
            /
          </span>
          <div className={styles.popup} hidden={!isOpen || entered === ''}>
            <Autocomplete.Status className={styles.status}>
              {isCurrent && !query.isFetching && (
                <Outcome text={paused} groups={groups} error={query.error} />
              )}
            </Autocomplete.Status>
            <Autocomplete.List className={styles.list} aria-label="Results">
              {(group: HitGroup) => (
                <Autocomplete.Group key={group.name} items={group.items}>
                  <Autocomplete.GroupLabel className={styles.kind}>
                    {group.name}
                  </Autocomplete.GroupLabel>
                  <Autocomplete.Collection>
                    {(hit: Hit) => (
                      <Autocomplete.Item
                        key={hit.href}
                        value={hit}
                        className={styles.item}
                        // The press must not take the focus from the field, which would close the list.
                        onMouseDown={(event) => event.preventDefault()}
                        onClick={() => leave(hit.href)}
                      >
                        <span>{hit.title}</span>
                        <span className="soft tiny">{hit.detail}</span>
                      </Autocomplete.Item>
                    )}
                  </Autocomplete.Collection>
                </Autocomplete.Group>
              )}
            </Autocomplete.List>
          </div>
        </Autocomplete.Root>
        {/* The list adds fields to the form, and Enter submits a form of several only with a button. */}
        <button type="submit" className="visually-hidden" tabIndex={-1}>
          Search
        </button>
      </form>
    </search>
  );
}

interface OutcomeProps {
  readonly text: string;
  readonly groups: readonly HitGroup[];
  readonly error: Error | null;
}

/** The message in place of a list: nothing was found, or the search failed. */
function Outcome({ text, groups, error }: OutcomeProps) {
  if (error !== null) return <>The search failed: {error.message}</>;
  if (groups.length > 0) return null;
  return (
    <>
      {isMistypedCode(text)
        ? 'Nothing found. A referral code like this was mistyped.'
        : 'Nothing found.'}
    </>
  );
}

/** Moves the focus into a field when "/" is pressed outside of any field. */
function useSlashKey(input: { readonly current: HTMLInputElement | null }): void {
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
