import { Link } from 'wouter';
import type { Client } from '../../../../../engine/client/index.ts';
import { pathOf } from '../../../../../engine/contract/pages.ts';
import { type DataOf, usePages } from '../../../api.ts';
import * as column from '../../../components/columns.tsx';
import { Hash } from '../../../components/hash.tsx';
import { ListCard } from '../../../components/list.tsx';
import { Time } from '../../../components/time.tsx';
import { FilterBar, FilterSelect } from '../../../filters/filter-bar.tsx';
import { optionsOf, useFilters } from '../../../filters/use-filters.ts';
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

const options = optionsOf('All movements', kinds, (name) => name);

/** Every movement of the vaults, newest first; of one campaign if it is named. */
export function Movements({ campaignId }: { readonly campaignId?: string }) {
  const { api, key } = useActing();
  const filters = useFilters('kind');
  const pages = usePages([...key, 'vault.movements'], api.vault.movements, {
    campaignId,
    kind: filters.chosen('kind', options),
    limit: 20,
  });
  return (
    <ListCard
      title="Movements"
      pages={pages}
      empty="Nothing has moved yet."
      rowKey={({ campaignId: id, sequence, from, to }) => `${id}/${sequence}/${from}/${to}`}
      columns={[
        { name: 'What', cell: (movement) => kinds[movement.kind] },
        column.amount('Amount', 'amount'),
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
    >
      <FilterBar filters={filters}>
        <FilterSelect filters={filters} name="kind" label="Show" options={options} />
      </FilterBar>
    </ListCard>
  );
}
