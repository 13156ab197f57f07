import { Hash } from '../../components/hash.tsx';
import type { Receipt } from './arithmetic.ts';

type Codes = NonNullable<Receipt['attribution']['codes']>;

/** Codes that the sender attached to the transaction: a stranger's words, which decide nothing. */
export function AttachedCodes({ attribution: { codes } }: Pick<Receipt, 'attribution'>) {
  if (codes === null) return <>not known</>;
  if (codes.length === 0) return <>none</>;
  // A suffix may name a code twice.
  const distinct = new Map(codes.map((one) => [JSON.stringify(one), one]));
  return (
    <>
      {[...distinct].map(([key, one], index) => (
        <span key={key}>
          {index > 0 && ', '}
          <code>{one.code}</code>
          <Details {...one} />
        </span>
      ))}
      <span className="soft"> (the sender’s words, without effect on rewards)</span>
    </>
  );
}

function Details({ role, registry }: Pick<Codes[number], 'role' | 'registry'>) {
  if (role === null && registry === null) return null;
  return (
    <span className="soft">
      {' '}
      {role}
      {registry && (
        <>
          {` of chain ${registry.chainId}, registry `}
          <Hash value={registry.address} label="registry address" />
        </>
      )}
    </span>
  );
}
