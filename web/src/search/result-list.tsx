import { Autocomplete } from '@base-ui/react/autocomplete';
import { type InputHTMLAttributes, type RefObject, useLayoutEffect, useState } from 'react';
import { type Hit, type HitGroup, hasOnlySimilar } from './hits.ts';
import { isMistypedCode, isShortHex } from './query.ts';
import styles from './search-box.module.css';
import { usePaused, useSearch } from './use-search.ts';

/** Results of each kind that are shown as one types. */
const SHOWN = 3;

interface ResultListProps {
  readonly field: InputHTMLAttributes<HTMLInputElement>;
  readonly input: RefObject<HTMLInputElement | null>;
  /** Selection in the field that this one replaces, if it had the focus. */
  readonly caret: readonly [start: number, end: number] | undefined;
  readonly text: string;
  readonly onText: (text: string) => void;
  /** Called with the path of the chosen result. */
  readonly onChoice: (path: string) => void;
}

/** The field of the search with results as one types, by kind. It continues where the field before it was left. */
export function ResultList({ field, input, caret, text, onText, onChoice }: ResultListProps) {
  const [isOpen, setOpen] = useState(false);
  useLayoutEffect(() => {
    if (caret === undefined) return;
    input.current?.focus();
    input.current?.setSelectionRange(...caret);
  }, [input, caret]);
  const paused = usePaused(text);
  const query = useSearch(paused, SHOWN);
  const entered = text.trim();
  const isCurrent = entered !== '' && paused.trim() === entered;
  const groups = entered === '' ? [] : (query.data ?? []);
  // Inline: as a popup it would hide the rest of the page from screen readers while one types.
  return (
    <Autocomplete.Root
      inline
      open={isOpen && entered !== ''}
      items={groups}
      filter={null}
      value={text}
      onValueChange={(value, { reason }) => {
        if (reason === 'item-press') return;
        onText(value);
        setOpen(true);
      }}
      itemToStringValue={(hit: Hit) => hit.title}
    >
      <Autocomplete.Input
        {...field}
        ref={input}
        onFocus={() => setOpen(true)}
        onBlur={() => setOpen(false)}
        onKeyDown={(event) => event.key === 'Escape' && setOpen(false)}
      />
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
                    onClick={() => onChoice(hit.href)}
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
  if (groups.length > 0)
    return hasOnlySimilar(groups) ? <>Nothing has this name. Similar:</> : null;
  if (isShortHex(text)) return <>Type at least 4 digits after 0x.</>;
  if (isMistypedCode(text)) return <>Nothing found. A referral code like this was mistyped.</>;
  return <>Nothing found.</>;
}
