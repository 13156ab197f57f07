import type { Client } from '../../../../../engine/client/index.ts';
import type { DataOf } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Facts } from '../../../components/facts.tsx';
import { rewardIdentity } from '../../../ledger/identities.ts';
import { IdentityBar } from '../../../ledger/identity-bar.tsx';
import styles from './vault.module.css';

/** Ledgers of one token. */
export type TokenLedgers = DataOf<Client['vault']['get']>['byToken'][number];

/** Both ledgers of a token: where the deposits are, and where the buyers' money is. */
export function Ledgers({ ledgers }: { readonly ledgers: TokenLedgers }) {
  const { token, rewardLedger, proceedsLedger, proceedsReady, creditOutstanding } = ledgers;
  const { proceedsPending, proceedsClaimable, proceedsClaimed, buyerRefunded } = proceedsLedger;
  const amount = (value: string) => <Amount value={value} token={token} />;
  return (
    <div className={styles.ledgers}>
      <div>
        <h3>Rewards, {token.symbol}</h3>
        <IdentityBar identity={rewardIdentity(rewardLedger)} token={token} />
      </div>
      <div>
        <h3>Proceeds, {token.symbol}</h3>
        <Facts
          facts={[
            ['To claim now', amount(proceedsClaimable)],
            ['On hold', amount(proceedsPending)],
            ['Of that, the hold is over', amount(proceedsReady)],
            ['Claimed', amount(proceedsClaimed)],
            ['Refunded to buyers', amount(buyerRefunded)],
            ['Refused by the token', creditOutstanding === '0' ? null : amount(creditOutstanding)],
          ]}
        />
      </div>
    </div>
  );
}
