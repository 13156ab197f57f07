import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { shortHex } from '../format.ts';
import { CopyButton } from './copy-button.tsx';
import styles from './values.module.css';

const pathsOf = {
  buyers: (address: string) => pathOf('buyer', { address }),
  distributors: (address: string) => pathOf('distributor', { address }),
  merchants: (slug: string) => pathOf('merchant', { slug }),
} as const;

interface AddressLinkProps {
  readonly address: string;
  /** Whose page it leads to; without it the address leads nowhere. */
  readonly to?: keyof typeof pathsOf;
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
      {to === undefined ? text : <Link href={pathsOf[to](address)}>{text}</Link>}
      <CopyButton text={address} label="address" />
    </span>
  );
}
