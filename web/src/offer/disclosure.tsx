import { Amount } from '../components/amount.tsx';
import { Explain } from '../components/explain.tsx';
import { countOf } from '../format.ts';
import styles from './offer.module.css';
import type { Preview } from './use-offer.ts';

/** Who earns how much from this purchase: buyers of a link must know it. */
export function Disclosure({ preview }: { readonly preview: Preview }) {
  const { nodeId, split, token } = preview;
  if (nodeId === null) {
    return <p className="soft">Without a link: no one earns a reward from this purchase.</p>;
  }
  const owner = split.shares.find(({ level }) => level === 1);
  const above = split.shares.filter(({ level }) => level > 1);
  const more = above.reduce((sum, { amount }) => sum + BigInt(amount), 0n);
  return (
    <p className={styles.disclosure}>
      {owner && BigInt(owner.amount) > 0n ? (
        <>
          <strong>
            This link earns its owner <Amount value={owner.amount} token={token} /> if you buy.
          </strong>{' '}
          {more > 0n && (
            <>
              {countOf(above.length, 'link')} <Explain term="level">above it</Explain>{' '}
              {above.length === 1 ? 'earns' : 'earn'} <Amount value={more} token={token} />.{' '}
            </>
          )}
          The merchant pays that from a budget for rewards. You pay the same price with and without
          the link.
        </>
      ) : (
        <>
          <strong>This link earns its owner nothing for this purchase now</strong>, because of a
          limit of the campaign’s rewards. You pay the same price with and without the link.
        </>
      )}
    </p>
  );
}
