import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { type Term, terms } from '../terms.ts';
import styles from './explain.module.css';

/** A term with its explanation behind it. The glossary page shows the same text. */
export function Explain({
  term,
  children,
}: {
  readonly term: Term;
  readonly children?: ReactNode;
}) {
  const { name, text } = terms[term];
  return (
    <Popover.Root>
      <Popover.Trigger className={styles.term}>{children ?? name}</Popover.Trigger>
      <Popover.Portal>
        <Popover.Positioner sideOffset={6} className={styles.place}>
          <Popover.Popup className={styles.popup}>
            <Popover.Title className={styles.title}>{name}</Popover.Title>
            <Popover.Description>{text}</Popover.Description>
            <Link href={pathOf('glossary')}>All terms</Link>
          </Popover.Popup>
        </Popover.Positioner>
      </Popover.Portal>
    </Popover.Root>
  );
}
