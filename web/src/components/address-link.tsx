import { Link } from 'wouter';
import { shortHex } from '../format.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './values.module.css';

interface AddressLinkProps {
  readonly address: string;
  /** Whose page it leads to; without it the address leads nowhere. */
  readonly to?: 'distributors' | 'merchants';
  /** A name in its place, where it has one. */
  readonly name?: string | undefined;
}

/** An account: shortened or by its name, with the whole to copy. */
export function AddressLink({ address, to, name }: AddressLinkProps) {
  const text = name ?? (
    <code className={styles.short} title={address}>
      {shortHex(address)}
    </code>
  );
  return (
    <span className={styles.hash}>
      {to === undefined ? text : <Link href={`/${to}/${address}`}>{text}</Link>}
      <CopyButton text={address} label="address" />
    </span>
  );
}
