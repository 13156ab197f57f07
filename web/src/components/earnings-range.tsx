import type { Unit } from '../format.ts';
import { rewardRange, type SharedTerms } from '../ledger/reward-range.ts';
import { Amount } from './amount.tsx';

interface Props {
  /** Price of the product, base units. */
  readonly price: string;
  readonly terms: SharedTerms;
  readonly token: Unit;
  /** Adds the reason why it is a range. */
  readonly explained?: boolean;
}

/** The reward of a new link for a sale: "You earn 1.27 to 2.81 TUSD per sale". */
export function EarningsRange({ price, terms, token, explained = false }: Props) {
  const { least, most } = rewardRange(price, terms);
  const isOne = least === most;
  return (
    <>
      <p>
        <strong>
          You earn{' '}
          {!isOne && (
            <>
              <Amount value={least} token={token} /> to{' '}
            </>
          )}
          <Amount value={most} token={token} /> per sale
        </strong>{' '}
        through your link.
      </p>
      {explained && !isOne && (
        <p className="soft">
          Most if your link begins a branch of its own. If it is under the links of others, they
          share the reward with you.
        </p>
      )}
    </>
  );
}
