import { Link } from 'wouter';
import { shortHex } from '../format.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './values.module.css';

interface HashProps {
  readonly value: string;
  /** Name for the copy button: `transaction hash`. */
  readonly label: string;
  /** Path of its page here. */
  readonly to?: string;
  /** Address in a block explorer; `null` without one. */
  readonly href?: string | null | undefined;
  /** Written out in full. */
  readonly whole?: boolean;
}

/** Hex, shortened, with a button that copies all of it, and links to its page and to a block explorer. */
export function Hash({ value, label, to, href, whole = false }: HashProps) {
  const text = (
    <code className={whole ? undefined : styles.short} title={value}>
      {whole ? value : shortHex(value)}
    </code>
  );
  const explorer = href?.startsWith('http') ? href : undefined;
  return (
    <span className={styles.hash}>
      {to !== undefined && <Link href={to}>{text}</Link>}
      {explorer !== undefined && (
        <a href={explorer} target="_blank" rel="noreferrer">
          {to === undefined ? text : <span aria-hidden="true">↗</span>}
          <span className="visually-hidden"> (opens a block explorer)</span>
        </a>
      )}
      {to === undefined && explorer === undefined && text}
      <CopyButton text={value} label={label} />
    </span>
  );
}
