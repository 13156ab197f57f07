import { type FormEvent, useEffect, useId, useRef, useState } from 'react';
import { Button } from '../../../components/button.tsx';
import styles from './graph.module.css';
import { nodeText } from './look.ts';
import { findNodes, type Match } from './source.ts';

interface SearchProps {
  readonly campaignId: string;
  readonly onPick: (match: Match) => void;
}

const matchedBy = { nodeId: 'by its id', code: 'by its code', owner: 'by its owner' } as const;

/** Finds nodes by id, referral code or owner, in the whole campaign and not just what is loaded. */
export function Search({ campaignId, onPick }: SearchProps) {
  const [text, setText] = useState('');
  const [matches, setMatches] = useState<readonly Match[]>();
  const [issue, setIssue] = useState<string>();
  const running = useRef<AbortController>(undefined);
  const [field, status] = [useId(), useId()];
  useEffect(() => () => running.current?.abort(), []);

  async function find(event: FormEvent) {
    event.preventDefault();
    const q = text.trim();
    if (q === '') return;
    running.current?.abort();
    running.current = new AbortController();
    const { signal } = running.current;
    try {
      const found = await findNodes(campaignId, q, signal);
      setMatches(found);
      setIssue(undefined);
      const [only, ...others] = found;
      if (only && others.length === 0) onPick(only);
    } catch (error) {
      if (signal.aborted) return;
      setMatches(undefined);
      setIssue(error instanceof Error ? error.message : String(error));
    }
  }

  return (
    <search className={styles.search}>
      <form onSubmit={(event) => void find(event)}>
        <label htmlFor={field}>Find a link</label>
        <div className={styles.searchLine}>
          <input
            id={field}
            type="search"
            value={text}
            maxLength={60}
            placeholder="link number, code or 0x…"
            autoComplete="off"
            spellCheck={false}
            aria-describedby={status}
            onChange={(event) => setText(event.target.value)}
          />
          <Button type="submit">Find</Button>
        </div>
      </form>
      <div id={status} role="status">
        {issue !== undefined && <p className={styles.issue}>{issue}</p>}
        {matches?.length === 0 && <p className="soft">No link of this campaign matches.</p>}
        {matches !== undefined && matches.length > 1 && (
          <ul className={styles.matches}>
            {matches.map((match) => (
              <li key={match.nodeId}>
                <Button quiet onClick={() => onPick(match)}>
                  {nodeText(match)} <span className="soft">{matchedBy[match.matched]}</span>
                </Button>
              </li>
            ))}
          </ul>
        )}
      </div>
    </search>
  );
}
