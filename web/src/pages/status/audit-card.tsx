import { api, type DataOf, useApi } from '../../api.ts';
import { Answered } from '../../components/answered.tsx';
import { Badge } from '../../components/badge.tsx';
import { Card } from '../../components/card.tsx';
import { DataTable } from '../../components/data-table.tsx';
import { Empty } from '../../components/empty.tsx';
import { Facts } from '../../components/facts.tsx';
import { Time } from '../../components/time.tsx';
import { countOf, groupDigits } from '../../format.ts';
import styles from './status.module.css';

type Audit = NonNullable<DataOf<typeof api.system.audit>['last']>;

/** Milliseconds between two looks for a newer audit. */
const POLL_MS = 30_000;

/** The newest audit: all invariants, against the ledger itself and against the contract. */
export function AuditCard() {
  const query = useApi(['system.audit'], (options) => api.system.audit({}, options), {
    refetchInterval: POLL_MS,
  });
  return (
    <Card title="Last audit">
      <Answered query={query} what="The audit">
        {({ data: { last } }) =>
          last === null ? <Empty>None has run yet.</Empty> : <Result audit={last} />
        }
      </Answered>
    </Card>
  );
}

function Result({ audit }: { readonly audit: Audit }) {
  const { ok, block, finishedAt, durationMs, campaigns, discrepancies, violations } = audit;
  return (
    <div className={styles.stack}>
      <p>
        <Badge tone={ok ? 'good' : 'bad'}>{ok ? 'all holds' : 'violated'}</Badge>{' '}
        {countOf(campaigns, 'campaign')} compared with themselves and with the contract.
      </p>
      <Facts
        facts={[
          ['As of block', groupDigits(block.number)],
          ['Time of that block', <Time key="block" at={block.timestamp} />],
          ['Finished', <Time key="done" at={finishedAt} />],
          ['Took', `${groupDigits(String(durationMs))} ms`],
          ['Violations', groupDigits(String(violations.count))],
          ['Discrepancies', groupDigits(String(discrepancies))],
        ]}
      />
      {violations.items.length > 0 && (
        <DataTable
          caption="Violations"
          rows={violations.items.map((violation, index) => ({ ...violation, index }))}
          rowKey={({ index }) => String(index)}
          columns={[
            { name: 'Campaign', cell: ({ campaignId }) => campaignId },
            { name: 'Invariant', cell: ({ invariant }) => invariant },
            { name: 'Of', cell: ({ subject }) => subject ?? '–' },
            { name: 'Expected', numeric: true, cell: ({ expected }) => expected },
            { name: 'Found', numeric: true, cell: ({ actual }) => actual },
          ]}
        />
      )}
      {violations.count > violations.items.length && (
        <p className={styles.soft}>The first {violations.items.length} are shown.</p>
      )}
    </div>
  );
}
