import { shortHex } from '../format.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './figures.module.css';

interface HashProps {
  readonly value: string;
  /** What it is, for the copy button: `transaction hash`. */
  readonly label: string;
  /** In a block explorer; `null` where there is none. */
  readonly href?: string | null | undefined;
  /** Written out in full. */
  readonly whole?: boolean;
}

/** Hex that nobody reads, shortened, with its whole to copy and a way to look at it. */
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
