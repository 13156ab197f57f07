import { MINE } from '../../../account/session.ts';
import { api, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Badge } from '../../../components/badge.tsx';
import * as column from '../../../components/columns.tsx';
import { Hash } from '../../../components/hash.tsx';
import { ListCard } from '../../../components/list.tsx';

/** Payments of rewards to the account, newest first. */
export function ClaimsCard() {
  const pages = usePages([MINE, 'earnings.claims'], api.earnings.claims, { limit: 10 });
  return (
    <ListCard
      title="What you were paid"
      id="claims"
      caption="Your claims"
      pages={pages}
      empty="You have claimed nothing yet. What is claimable is on the overview."
      rowKey={({ campaignId, tx }) => `${campaignId} ${tx.hash}`}
      columns={[
        column.campaign,
        {
          name: 'Paid',
          numeric: true,
          cell: ({ amount, token, credited }) => (
            <>
              <Amount value={amount} token={token} />{' '}
              {credited && <Badge tone="warn">refused by the token</Badge>}
            </>
          ),
        },
        {
          name: 'Transaction',
          cell: ({ tx }) => <Hash value={tx.hash} label="transaction hash" href={tx.explorerUrl} />,
        },
        column.time('When', 'at'),
      ]}
    />
  );
}
