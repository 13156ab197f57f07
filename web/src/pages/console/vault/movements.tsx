import { useState } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, usePages } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import { Card } from '../../../components/card.tsx';
import { PagedTable } from '../../../components/data-table.tsx';
import { Hash } from '../../../components/hash.tsx';
import { SelectField } from '../../../components/select-field.tsx';
import { Time } from '../../../components/time.tsx';
import { useActing } from '../acting.tsx';
import { orderPath } from '../paths.ts';

type Movement = DataOf<Client['vault']['movements']>['items'][number];

/** Causes of movements in words, by the names of the events. */
const kinds: Readonly<Record<Movement['kind'], string>> = {
  CampaignFunded: 'Deposit',
  SurplusWithdrawn: 'Surplus withdrawn',
  SaleRecorded: 'Sale',
  RewardReleased: 'Reward released by a refund',
  SaleRefunded: 'Refund',
  RewardVested: 'Reward became claimable',
  SaleFinalized: 'Sale finalized',
  RewardReversed: 'Reward reversed',
  RewardsClaimed: 'Rewards claimed',
  ProceedsClaimed: 'Proceeds claimed',
  PaymentCredited: 'Payment refused by the token',
  CreditWithdrawn: 'Credit withdrawn',
};

type Bucket = NonNullable<Movement['from']>;

const buckets: Readonly<Record<Bucket, string>> = {
  available: 'free for rewards',
  pendingReserved: 'rewards on hold',
  vestedUnclaimed: 'rewards to claim',
  rewardsClaimed: 'rewards paid',
  surplusWithdrawn: 'surplus withdrawn',
  proceedsPending: 'proceeds on hold',
  proceedsClaimable: 'proceeds to claim',
  proceedsClaimed: 'proceeds paid',
  buyerRefunded: 'refunded to buyers',
  creditOutstanding: 'refused by the token',
};

/** Every movement of the vaults, newest first; of one campaign if it is named. */
export function Movements({ campaignId }: { readonly campaignId?: string }) {
  const { api, key } = useActing();
  const [kind, choose] = useState<Movement['kind'] | ''>('');
  const filter = { campaignId, kind: kind || undefined };
  const pages = usePages([...key, 'vault.movements'], api.vault.movements, {
    ...filter,
    limit: 20,
  });
  return (
    <Card title="Movements">
      <div className="stack">
        <SelectField
          id="kind"
          label="Show"
          value={kind}
          onChange={({ target }) => choose(target.value as Movement['kind'] | '')}
        >
          <option value="">All movements</option>
          {Object.entries(kinds).map(([name, label]) => (
            <option key={name} value={name}>
              {label}
            </option>
          ))}
        </SelectField>
        <PagedTable
          caption="Movements"
          pages={pages}
          empty="Nothing has moved yet."
          rowKey={({ campaignId: id, sequence, from, to }) => `${id}/${sequence}/${from}/${to}`}
          columns={[
            { name: 'What', cell: (movement) => kinds[movement.kind] },
            {
              name: 'Amount',
              numeric: true,
              cell: ({ amount, token }) => <Amount value={amount} token={token} />,
            },
            { name: 'From', cell: ({ from }) => (from === null ? 'outside' : buckets[from]) },
            { name: 'To', cell: ({ to }) => (to === null ? 'outside' : buckets[to]) },
            {
              name: 'Of',
              cell: (movement) =>
                movement.saleId === null ? (
                  <Link href={pathOf('campaign', movement)}>campaign {movement.campaignId}</Link>
                ) : (
                  <Link href={orderPath(movement.saleId)}>order {movement.saleId}</Link>
                ),
            },
            {
              name: 'When',
              numeric: true,
              cell: ({ at, tx }) => (
                <>
                  <Time at={at} />{' '}
                  <Hash value={tx.hash} label="transaction hash" href={tx.explorerUrl} />
                </>
              ),
            },
          ]}
        />
      </div>
    </Card>
  );
}
