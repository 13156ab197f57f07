import { MINE } from '../../../account/session.ts';
import { api, useApi } from '../../../api.ts';
import { Answered } from '../../../components/answered.tsx';
import { Button } from '../../../components/button.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable } from '../../../components/data-table.tsx';
import { Hash } from '../../../components/hash.tsx';
import { Panel } from '../../../components/panel.tsx';

interface PaidPanelProps {
  /** Block before the payout. */
  readonly after: bigint;
  /** Prepares another payout, if something is left. */
  readonly onNext?: () => void;
}

/** Payments of a payout: a claim covers 50 campaigns at most. */
const MAX_CLAIMS = 100;

/** Payments of a payout, with their transactions, as the ledger has them. */
export function PaidPanel({ after, onNext }: PaidPanelProps) {
  const query = useApi([MINE, 'earnings.claims', 'paid', String(after)], api.earnings.claims, {
    limit: MAX_CLAIMS,
  });
  return (
    <Panel tone="good" title="You were paid" role="status">
      <Answered query={query} what="the payments">
        {({ data: { items } }) => (
          <DataTable
            caption="Payments"
            rows={items.filter(({ tx }) => BigInt(tx.blockNumber) > after)}
            rowKey={({ campaignId, tx }) => `${campaignId} ${tx.hash}`}
            columns={[
              { name: 'Campaign', cell: ({ campaignTitle }) => campaignTitle },
              column.amount('Paid', 'amount'),
              {
                name: 'Transaction',
                cell: ({ tx }) => (
                  <Hash value={tx.hash} label="transaction hash" href={tx.explorerUrl} />
                ),
              },
            ]}
          />
        )}
      </Answered>
      {onNext && (
        <Button main onClick={onNext}>
          Pay me the rest
        </Button>
      )}
    </Panel>
  );
}
