import { Link } from 'wouter';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { MINE } from '../../../account/use-session.ts';
import { api, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Badge } from '../../../components/badge.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { Hash } from '../../../components/hash.tsx';
import { Time } from '../../../components/time.tsx';

/** Payments of rewards to the account, newest first. */
export function ClaimsCard() {
  const pages = usePages([MINE, 'earnings.claims'], api.earnings.claims, { limit: 10 });
  return (
    <Card title="What you were paid" id="claims">
      <PagedTable
        caption="Your claims"
        pages={pages}
        empty="You have claimed nothing yet. What is claimable is on the overview."
        rowKey={({ campaignId, tx }) => `${campaignId} ${tx.hash}`}
        columns={[
          {
            name: 'Campaign',
            cell: ({ campaignId, campaignTitle }) => (
              <Link href={pathOf('campaign', { campaignId })}>{campaignTitle}</Link>
            ),
          },
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
            cell: ({ tx }) => (
              <Hash value={tx.hash} label="transaction hash" href={tx.explorerUrl} />
            ),
          },
          { name: 'When', numeric: true, cell: ({ at }) => <Time at={at} /> },
        ]}
      />
    </Card>
  );
}
