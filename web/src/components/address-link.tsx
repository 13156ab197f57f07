import { Link } from 'wouter';
import { pathOf } from '../../../engine/contract/pages.ts';
import { shortHex } from '../format.ts';
import { useName } from '../names.ts';
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
  /** Its name if the page knows it; otherwise its public name is looked up. */
  readonly name?: string | undefined;
}

/** An account: by its name or shortened, with the whole address to copy. */
export function AddressLink({ address, to, name }: AddressLinkProps) {
  const found = useName(name === undefined ? address : undefined);
  const shown = name ?? found;
  const text = shown ? (
    <span title={address}>{shown}</span>
  ) : (
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
