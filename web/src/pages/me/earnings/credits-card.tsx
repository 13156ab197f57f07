import { useQueryClient } from '@tanstack/react-query';
import { MINE } from '../../../account/session.ts';
import { SignTransactions } from '../../../account/sign-transactions.tsx';
import { api, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Card } from '../../../components/card.tsx';
import styles from '../me.module.css';

/** Payments that a token refused, with the transactions that withdraw them; nothing if there are none. */
export function CreditsCard({ address }: { readonly address: `0x${string}` }) {
  const queries = useQueryClient();
  const { items } = usePages([MINE, 'earnings.credits'], api.earnings.credits, {
    to: address,
    limit: 20,
  });
  if (items.length === 0) return null;
  return (
    <Card title="Refused payments">
      <div className="stack">
        <p>
          The token refused to pay these to your account. The contract holds them for you until you
          withdraw them.
        </p>
        <ul className={styles.items}>
          {items.map(({ campaignId, campaignTitle, amount, token, withdraw }) => (
            <li key={campaignId} className="stack">
              <h3>{campaignTitle}</h3>
              <p>
                <Amount value={amount} token={token} />
              </p>
              {withdraw && (
                <SignTransactions
                  transactions={[withdraw]}
                  address={address}
                  name="Withdraw credit"
                  onSettled={() => queries.invalidateQueries({ queryKey: [MINE] })}
                />
              )}
            </li>
          ))}
        </ul>
      </div>
    </Card>
  );
}
