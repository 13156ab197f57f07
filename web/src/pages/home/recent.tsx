import { useQueryClient } from '@tanstack/react-query';
import { useEffect, useState } from 'react';
import { Link } from 'wouter';
import type { Client } from '../../../../engine/client/index.ts';
import { pathOf } from '../../../../engine/contract/pages.ts';
import { api, type DataOf, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { AsOf } from '../../components/finality.tsx';
import { LiveBadge } from '../../components/live-badge.tsx';
import { receiptColumns } from '../../components/receipt-columns.tsx';
import { countOf } from '../../format.ts';
import { useLive } from '../../live.ts';
import { mergeRecent, type RecentRow } from './merge.ts';
import { RECENT, RECENT_KEY } from './recent-query.ts';

type Recent = DataOf<Client['receipts']['recent']>['items'];

/** The newest sales. New ones appear as they are settled; those that a reorg removed are marked. */
export function RecentReceipts() {
  const cache = useQueryClient();
  const query = useApi(RECENT_KEY, api.receipts.recent, RECENT);
  const state = useLive(undefined, ({ event }) => {
    if (event !== 'head') void cache.invalidateQueries({ queryKey: RECENT_KEY });
  });
  const rows = useMerged(query.data?.data.items);
  return (
    <Card
      title="Recent receipts"
      aside={
        <span>
          <LiveBadge state={state} /> <Link href={pathOf('sales')}>All sales</Link>
        </span>
      }
    >
      <Answered query={query} what="recent receipts" lines={14}>
        {({ meta }) =>
          rows.length === 0 ? (
            <Empty>No sale was settled yet.</Empty>
          ) : (
            <>
              <DataTable
                caption="Recent receipts, newest first"
                columns={receiptColumns}
                rows={rows.map(({ sale }) => sale)}
                rowKey={keyOf}
                mark={(sale) => markOf(rows.find((row) => keyOf(row.sale) === keyOf(sale)))}
              />
              <AsOf meta={meta} />
            </>
          )
        }
      </Answered>
      <p className="visually-hidden" role="status">
        {newsOf(rows)}
      </p>
    </Card>
  );
}

function useMerged(items: Recent | undefined): readonly RecentRow<Recent[number]>[] {
  const [rows, setRows] = useState<readonly RecentRow<Recent[number]>[]>([]);
  useEffect(() => {
    if (items) setRows((before) => mergeRecent(before, items, keyOf));
  }, [items]);
  return rows;
}

function keyOf({ campaignId, saleId }: Recent[number]): string {
  return `${campaignId}/${saleId}`;
}

function markOf(row: RecentRow<unknown> | undefined) {
  if (row?.change === 'new') return { tone: 'new', label: 'new' } as const;
  if (row?.change === 'gone') return { tone: 'gone', label: 'removed by a reorg' } as const;
  return undefined;
}

function newsOf(rows: readonly RecentRow<unknown>[]): string {
  const fresh = rows.filter(({ change }) => change === 'new').length;
  const removed = rows.filter(({ change }) => change === 'gone').length;
  const news = [
    fresh > 0 && `${countOf(fresh, 'new sale')}.`,
    removed > 0 && `A reorg removed ${countOf(removed, 'sale')}.`,
  ];
  return news.filter(Boolean).join(' ');
}
