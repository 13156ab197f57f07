import { lazy, type ReactNode, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { type Term, terms } from '../terms.ts';
import styles from './explain.module.css';

interface ExplainProps {
  readonly term: Term;
  readonly children?: ReactNode;
}

/** Loads what shows an explanation. If that fails, the term leads to the page of all of them. */
async function loadPopover() {
  try {
    const { ExplainPopover } = await import('./explain-popover.tsx');
    return { default: ExplainPopover };
  } catch {
    return { default: GlossaryLink };
  }
}

const ExplainPopover = lazy(loadPopover);

/**
 * A term with its explanation behind it. The glossary page shows the same text. What shows the explanation is loaded
 * when somebody is about to open one: no page needs it to be read.
 */
export function Explain({ term, children }: ExplainProps) {
  const [isWanted, setWanted] = useState(false);
  const shown = children ?? terms[term].name;
  const button = (
    <button
      type="button"
      className={styles.term}
      aria-haspopup="dialog"
      aria-expanded="false"
      onPointerEnter={() => void loadPopover()}
      onFocus={() => void loadPopover()}
      onClick={() => setWanted(true)}
    >
      {shown}
    </button>
  );
  if (!isWanted) return button;
  return (
    <Suspense fallback={button}>
      <ExplainPopover term={term}>{shown}</ExplainPopover>
    </Suspense>
  );
}

function GlossaryLink({ children }: ExplainProps) {
  return <Link href={pathOf('glossary')}>{children}</Link>;
}
