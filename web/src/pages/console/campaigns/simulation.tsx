import { keepPreviousData, useQuery } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { api, type DataOf } from '../../../api.ts';
import { Amount } from '../../../components/amount.tsx';
import * as column from '../../../components/columns.tsx';
import { DataTable, type TableColumn } from '../../../components/data-table.tsx';
import { Issue } from '../../../components/issue.tsx';
import { countOf, percent, type Unit } from '../../../format.ts';
import { coveredSales } from '../../../ledger/covered-sales.ts';
import styles from './campaigns.module.css';
import { completeTerms, type PolicyTerms } from './policy-values.ts';

type Simulated = DataOf<typeof api.studio.simulate>;
type Row = Simulated['situations'][number]['rows'][number];

/** Milliseconds without a change after which a policy is simulated. */
const PAUSE_MS = 250;

interface Props {
  /** `undefined` while a field is invalid. */
  readonly terms: PolicyTerms | undefined;
  /** Price of a sale, base units. */
  readonly price: bigint | undefined;
  readonly token: Unit;
  /** Rewards that the campaign owes or has paid already, base units. */
  readonly liability?: bigint;
  /** Rewards that are not reserved, base units; `undefined` if the vault is to limit nothing. */
  readonly available?: bigint | undefined;
}

/** Rewards of a sale by a policy, for each length of the path to the seller, computed by the service to the unit. */
export function Simulation({ terms, price, token, liability = 0n, available }: Props) {
  const input =
    terms === undefined || price === undefined || price === 0n
      ? undefined
      : simulationInput(terms, price, liability, available);
  const settled = useSettled(JSON.stringify(input ?? null));
  const body: typeof input = JSON.parse(settled) ?? undefined;
  const query = useQuery({
    queryKey: ['studio.simulate', settled],
    queryFn: async ({ signal }) => (await api.studio.simulate(body as never, { signal })).data,
    enabled: body !== undefined,
    placeholderData: keepPreviousData,
  });
  return (
    <section className={styles.simulation} aria-label="What a sale pays">
      <h3>What a sale pays</h3>
      {input === undefined ? (
        <p className="soft">
          {price === undefined || price === 0n
            ? 'Enter a price to see it.'
            : 'Complete the reward to see it.'}
        </p>
      ) : query.error ? (
        <Issue of={query.error} />
      ) : (
        query.data && <Result result={query.data} token={token} />
      )}
    </section>
  );
}

function simulationInput(
  terms: PolicyTerms,
  price: bigint,
  liability: bigint,
  available: bigint | undefined,
) {
  const { holdSeconds: _hold, regions: _regions, sharingRules: _rules, ...split } = terms;
  const { excludesSelfReferral: _excludes, ...policy } = split;
  return {
    policy,
    amount: price.toString(),
    liability: liability.toString(),
    ...(available === undefined ? {} : { available: available.toString() }),
  };
}

function Result({ result, token }: { readonly result: Simulated; readonly token: Unit }) {
  const given = result.situations.find(({ situation }) => situation === 'AS_GIVEN');
  if (given === undefined) return null;
  const levels = result.policy.maxRewardedAncestors;
  const columns: readonly TableColumn<Row>[] = [
    { name: 'Path of the sale', cell: ({ pathLength }) => pathName(pathLength, levels) },
    ...Array.from({ length: levels }, (_, i) => ({
      name: `Level ${i + 1}`,
      numeric: true,
      cell: (row: Row) => {
        const level = row.levels[i];
        return level ? <Amount value={level.amount} token={token} /> : '–';
      },
    })),
    column.amountIn(token, 'Total', 'reserved'),
    column.amountIn(token, 'Stays in the vault', 'returned'),
  ];
  const longest = given.rows.at(-1);
  return (
    <>
      <p>
        {percent(result.policy.commissionBps)} of <Amount value={result.amount} token={token} /> is{' '}
        <strong>
          <Amount value={result.gross} token={token} />
        </strong>
        .{' '}
        {given.caps
          .filter(({ before, after }) => before !== after)
          .map(({ reason, after }) => (
            <span key={reason}>
              {capNames[reason]} reduces it to <Amount value={after} token={token} />.{' '}
            </span>
          ))}
      </p>
      <DataTable
        caption="What a sale pays each level"
        columns={columns}
        rows={given.rows}
        rowKey={({ pathLength }) => String(pathLength)}
      />
      {longest !== undefined && longest.rounding !== '0' && (
        <p className="soft">
          Shares are rounded down. {countOf(BigInt(longest.rounding), 'base unit')} left by rounding{' '}
          {longest.rounding === '1' ? 'goes' : 'go'}{' '}
          {longest.roundingTo === 'LEVEL_1' ? 'to level 1' : 'back to the vault'}.
        </p>
      )}
    </>
  );
}

const capNames = {
  SALE_CAP: 'The limit of one sale',
  LIABILITY_CAP: 'The limit of the campaign',
  BUDGET: 'The vault',
} as const;

function pathName(length: number, levels: number): string {
  if (length === 0) return 'Without a link';
  if (length === 1) return 'Through a link with none above it';
  const above = countOf(length - 1, 'link');
  return length > levels ? `${above} above it, or more` : `${above} above it`;
}

/** "bears 48 sales": how many sales a deposit pays in full at a price by a policy. */
export function BudgetLine({
  terms,
  price,
  funding,
}: {
  readonly terms: PolicyTerms | undefined;
  readonly price: bigint | undefined;
  readonly funding: bigint | undefined;
}) {
  if (terms === undefined || price === undefined || funding === undefined) return null;
  const empty = { pendingReserved: '0', vestedUnclaimed: '0', rewardsClaimed: '0' };
  const rewardLedger = { ...empty, available: `${funding}` };
  const covered = coveredSales({ price: `${price}`, rewardLedger }, completeTerms(terms));
  return (
    <p role="status">
      {covered === null ? (
        'At this price the reward of a sale rounds to nothing: the budget bears any number of sales.'
      ) : (
        <>
          The budget bears <strong>{countOf(covered, 'sale')}</strong> at the full reward. Later
          sales still succeed, but pay less or nothing.
        </>
      )}
    </p>
  );
}

/** A text once it has not changed for a moment. */
function useSettled(text: string): string {
  const [settled, settle] = useState(text);
  useEffect(() => {
    const timer = setTimeout(() => settle(text), PAUSE_MS);
    return () => clearTimeout(timer);
  }, [text]);
  return settled;
}
