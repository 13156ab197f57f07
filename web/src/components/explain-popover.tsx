import { Popover } from '@base-ui/react/popover';
import type { ReactNode } from 'react';
import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { type Term, terms } from '../terms.ts';
import styles from './explain.module.css';

interface ExplainPopoverProps {
  readonly term: Term;
  readonly children: ReactNode;
}

/** The explanation of a term, open at first, and the button that opens and closes it. */
export function ExplainPopover({ term, children }: ExplainPopoverProps) {
  const { name, text } = terms[term];
  return (
    <Popover.Root defaultOpen>
      <Popover.Trigger className={styles.term}>{children}</Popover.Trigger>
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
