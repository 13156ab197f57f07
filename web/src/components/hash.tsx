import { shortHex } from '../format.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './values.module.css';

interface HashProps {
  readonly value: string;
  /** Name for the copy button: `transaction hash`. */
  readonly label: string;
  /** Address in a block explorer; `null` without one. */
  readonly href?: string | null | undefined;
  /** Written out in full. */
  readonly whole?: boolean;
}

/** Hex, shortened, with a button that copies all of it and a link to a block explorer. */
export function Hash({ value, label, href, whole = false }: HashProps) {
  const text = (
    <code className={whole ? undefined : styles.short} title={value}>
      {whole ? value : shortHex(value)}
    </code>
  );
  return (
    <span className={styles.hash}>
      {href?.startsWith('http') ? (
        <a href={href} target="_blank" rel="noreferrer">
          {text}
          <span className="visually-hidden"> (opens a block explorer)</span>
        </a>
      ) : (
        text
      )}
      <CopyButton text={value} label={label} />
    </span>
  );
}
